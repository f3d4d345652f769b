CREATE TABLE "oss_grant_files" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"file_name" varchar(255) NOT NULL,
	"file_hash" varchar(64) NOT NULL,
	"file_id" varchar(32),
	"package_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"effect_mode" smallint NOT NULL,
	"source" smallint NOT NULL,
	"amount" integer DEFAULT 0 NOT NULL,
	"reason" varchar(200) NOT NULL,
	"lines" integer DEFAULT 0 NOT NULL,
	"devices" integer DEFAULT 0 NOT NULL,
	"copies" integer DEFAULT 0 NOT NULL,
	"list_price" bigint DEFAULT 0 NOT NULL,
	"state" smallint NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"job_id" integer,
	"audit_by" integer,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_grant_files" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE UNIQUE INDEX "oss_grant_files_hash" ON "oss_grant_files" USING btree ("tenant_id","file_hash") WHERE state <> 3;
--> statement-breakpoint
CREATE INDEX "oss_grant_files_created" ON "oss_grant_files" USING btree ("create_time","id");
--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_grant_files" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));