"""foldproof: proves, before a memory change ships, that an AI agent still knows what its users told it."""
