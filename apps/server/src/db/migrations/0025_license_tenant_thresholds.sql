CREATE TABLE "license_tenant_thresholds" (
	"tenant_id" integer PRIMARY KEY NOT NULL,
	"threshold" integer,
	"warned" smallint DEFAULT 0 NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
