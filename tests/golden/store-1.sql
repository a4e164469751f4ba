BEGIN TRANSACTION;
CREATE TABLE checks (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	identity VARCHAR NOT NULL, 
	before_run INTEGER NOT NULL, 
	after_run INTEGER NOT NULL, 
	settled INTEGER NOT NULL
);
INSERT INTO "checks" VALUES(1,'settled check',1,2,1);
INSERT INTO "checks" VALUES(2,'open check',1,2,0);
CREATE TABLE listings (
	sha256 VARCHAR NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (sha256)
);
INSERT INTO "listings" VALUES('97ba431cc135bf9186fd4897dbc3b5b2f86c02b0e6756d5cedb9f46776d2e526','{"items":[{"id":"m1","kind":"preference","rank":1,"score":0.5,"text":"user is vegetarian"},{"text":"b"}]}');
CREATE TABLE runs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	identity VARCHAR NOT NULL, 
	config VARCHAR NOT NULL, 
	set_sha256 VARCHAR NOT NULL, 
	control VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	record TEXT NOT NULL
);
INSERT INTO "runs" VALUES(1,'57277f730cacff5178315bd66f47d7c8799a5ae928377d15987dd23e20999ca1','production','5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e','','finished','{"config":"production","config_content":{"agent":{"recall":""},"memory":{"k":8,"kind":"verbatim"}},"config_sha256":"c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0","fingerprint":"f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1","foldproof":"0.1.0","notes":["a note"],"set_name":"support","set_sha256":"5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e","started_at":"2026-03-04T05:06:07+00:00"}');
INSERT INTO "runs" VALUES(2,'5c152cae533b871837976311d940b8830c99d2665934aba398fbdc0b1cce5bf1','candidate','5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e','unplugged','interrupted','{"config":"candidate","config_content":{"agent":{"recall":""},"memory":{"k":8,"kind":"verbatim"}},"config_sha256":"c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0","control":"unplugged","set_name":"support","set_sha256":"5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"}');
CREATE TABLE steps (
	name VARCHAR NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "steps" VALUES('0001-runs-trials-listings-checks');
CREATE TABLE trials (
	run INTEGER NOT NULL, 
	case_id VARCHAR NOT NULL, 
	repeat INTEGER NOT NULL, 
	answered INTEGER NOT NULL, 
	record TEXT NOT NULL, 
	PRIMARY KEY (run, case_id, repeat)
);
INSERT INTO "trials" VALUES(1,'billing-db',0,1,'{"answer":"Postgres 15\nno ORM “字” 🙂","attempts":3,"case":"billing-db","duration_s":1.25,"log":"a line\n","memory_reads":[{"rank":1,"score":0.25,"text":"user is vegetarian"}],"memory_writes":[],"notes":["a note"],"prompt":"the prompt","repeat":0,"started_at":"2026-03-04T05:06:08.000+00:00","store_kept":"97ba431cc135bf9186fd4897dbc3b5b2f86c02b0e6756d5cedb9f46776d2e526","store_written":"97ba431cc135bf9186fd4897dbc3b5b2f86c02b0e6756d5cedb9f46776d2e526","tool_calls":[{"args":{"order":4021},"name":"refund"}],"usage":{"cost_usd":0.25,"input_tokens":10,"output_tokens":20}}');
INSERT INTO "trials" VALUES(1,'iban',1,0,'{"case":"iban","error":{"kind":"agent","message":"it broke","traceback":"Traceback\n","type":"ValueError"},"repeat":1}');
CREATE INDEX ix_runs_identity ON runs (identity);
CREATE INDEX ix_checks_identity ON checks (identity);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('runs',2);
INSERT INTO "sqlite_sequence" VALUES('checks',2);
COMMIT;
