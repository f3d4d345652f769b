CREATE TABLE "device_access" (
	"tenant_id" integer PRIMARY KEY NOT NULL,
	"target_token" smallint DEFAULT 1 NOT NULL,
	"gateway_token" smallint DEFAULT 0 NOT NULL,
	"gateway_token_hash" "bytea",
	"auto_model_id" integer,
	"poll_seconds" integer DEFAULT 300 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_attributes" (
	"device_id" integer PRIMARY KEY NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_group_members" (
	"group_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	CONSTRAINT "device_group_members_pk" PRIMARY KEY("group_id","device_id")
);
--> statement-breakpoint
CREATE TABLE "device_groups" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"parent_id" integer DEFAULT 0 NOT NULL,
	"group_name" varchar(30) NOT NULL,
	"kind" smallint DEFAULT 1 NOT NULL,
	"rule" jsonb,
	"description" varchar(200) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "device_packages" (
	"device_id" integer NOT NULL,
	"package_name" varchar(64) NOT NULL,
	"ver_code" integer NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "device_packages_pk" PRIMARY KEY("device_id","package_name")
);
--> statement-breakpoint
CREATE TABLE "device_versions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"device_id" integer NOT NULL,
	"ver_code" integer NOT NULL,
	"source" smallint DEFAULT 1 NOT NULL,
	"task_id" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"dev_name" varchar(64) DEFAULT '' NOT NULL,
	"uid" varchar(64) DEFAULT '' NOT NULL,
	"mac" varchar(12) DEFAULT '' NOT NULL,
	"imei" varchar(15) DEFAULT '' NOT NULL,
	"ver_code" integer,
	"os_ver" varchar(64) DEFAULT '' NOT NULL,
	"app_ver" varchar(64) DEFAULT '' NOT NULL,
	"hw_ver" varchar(64) DEFAULT '' NOT NULL,
	"ip" varchar(45) DEFAULT '' NOT NULL,
	"region" varchar(64) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"online" smallint DEFAULT 0 NOT NULL,
	"last_online_time" timestamp (3) with time zone,
	"activate_time" timestamp (3) with time zone,
	"warranty_end" date,
	"token_hash" "bytea",
	"attributes_wanted" smallint DEFAULT 1 NOT NULL,
	"app_account_id" integer,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"changed" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "ota_alarms" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"ota_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"message" varchar(500) NOT NULL,
	"facts" jsonb,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"close_time" timestamp (3) with time zone,
	"close_by" integer
);
--> statement-breakpoint
CREATE TABLE "ota_manifests" (
	"ota_id" integer PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"manifest" text NOT NULL,
	"signature" varchar(100) NOT NULL,
	"key_id" varchar(16) NOT NULL,
	"is_own" boolean DEFAULT true NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_policies" (
	"ota_id" integer PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"mode" smallint DEFAULT 1 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"state_reason" varchar(200) DEFAULT '' NOT NULL,
	"percent" integer DEFAULT 10000 NOT NULL,
	"tenant_ids" integer[] DEFAULT '{}' NOT NULL,
	"group_ids" integer[] DEFAULT '{}' NOT NULL,
	"start_time" timestamp (3) with time zone,
	"end_time" timestamp (3) with time zone,
	"daily_start" smallint,
	"daily_end" smallint,
	"need_confirm" boolean DEFAULT false NOT NULL,
	"max_downloads" integer,
	"per_minute" integer,
	"timeout_minutes" integer DEFAULT 1440 NOT NULL,
	"auto_retries" smallint DEFAULT 0 NOT NULL,
	"submit_by" integer,
	"submit_time" timestamp (3) with time zone,
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
CREATE TABLE "ota_stages" (
	"ota_id" integer NOT NULL,
	"seq" smallint NOT NULL,
	"percent" integer NOT NULL,
	"success_percent" smallint DEFAULT 95 NOT NULL,
	"error_percent" smallint DEFAULT 5 NOT NULL,
	"min_reports" integer DEFAULT 20 NOT NULL,
	"min_minutes" integer DEFAULT 30 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"start_time" timestamp (3) with time zone,
	"judge_time" timestamp (3) with time zone,
	"succeeded" integer,
	"failed" integer,
	CONSTRAINT "ota_stages_pk" PRIMARY KEY("ota_id","seq")
);
--> statement-breakpoint
CREATE TABLE "ota_task_logs" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"task_id" integer NOT NULL,
	"state" smallint NOT NULL,
	"execution" varchar(16) DEFAULT '' NOT NULL,
	"finished" varchar(8) DEFAULT '' NOT NULL,
	"code" integer,
	"details" text[] DEFAULT '{}' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_tasks" (
	"task_id" serial PRIMARY KEY NOT NULL,
	"ota_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"package_name" varchar(64) DEFAULT '' NOT NULL,
	"from_ver_code" integer,
	"ver_code" integer NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"progress" smallint DEFAULT 0 NOT NULL,
	"reason" varchar(500) DEFAULT '' NOT NULL,
	"code" integer,
	"attempt" smallint DEFAULT 1 NOT NULL,
	"retried" boolean DEFAULT false NOT NULL,
	"pushed" boolean DEFAULT false NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"close_time" timestamp (3) with time zone,
	"changed" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_whites" (
	"ota_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ota_whites_pk" PRIMARY KEY("ota_id","device_id")
);
--> statement-breakpoint
DROP INDEX "ota_versions_code";--> statement-breakpoint
ALTER TABLE "device_models" ADD COLUMN "hw_version" varchar(32) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "device_models" ADD COLUMN "chip" varchar(32) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "ota_versions" ADD COLUMN "kind" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "ota_versions" ADD COLUMN "package_name" varchar(64) DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "device_group_members_device" ON "device_group_members" USING btree ("device_id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_groups_name" ON "device_groups" USING btree ("tenant_id","group_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_groups_tenant" ON "device_groups" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "device_versions_device" ON "device_versions" USING btree ("device_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "devices_sn" ON "devices" USING btree ("sn") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_uid" ON "devices" USING btree ("uid") WHERE deleted_at is null and uid <> '';--> statement-breakpoint
CREATE INDEX "devices_mac" ON "devices" USING btree ("mac") WHERE mac <> '';--> statement-breakpoint
CREATE INDEX "devices_tenant" ON "devices" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "devices_model" ON "devices" USING btree ("model_id","id");--> statement-breakpoint
CREATE INDEX "devices_version" ON "devices" USING btree ("model_id","ver_code","id");--> statement-breakpoint
CREATE INDEX "devices_online" ON "devices" USING btree ("id") WHERE online = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "devices_activated" ON "devices" USING btree ("activate_time");--> statement-breakpoint
CREATE INDEX "devices_app_account" ON "devices" USING btree ("app_account_id") WHERE app_account_id is not null;--> statement-breakpoint
CREATE INDEX "devices_tags" ON "devices" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "devices_changed" ON "devices" USING btree ("changed");--> statement-breakpoint
CREATE INDEX "ota_alarms_open" ON "ota_alarms" USING btree ("tenant_id","id") WHERE close_time is null;--> statement-breakpoint
CREATE INDEX "ota_policies_tenant" ON "ota_policies" USING btree ("tenant_id","ota_id");--> statement-breakpoint
CREATE INDEX "ota_task_logs_task" ON "ota_task_logs" USING btree ("task_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ota_tasks_open" ON "ota_tasks" USING btree ("device_id","package_name") WHERE close_time is null;--> statement-breakpoint
CREATE INDEX "ota_tasks_version" ON "ota_tasks" USING btree ("ota_id","state","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_device" ON "ota_tasks" USING btree ("device_id","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_tenant" ON "ota_tasks" USING btree ("tenant_id","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_silent" ON "ota_tasks" USING btree ("update_time") WHERE close_time is null;--> statement-breakpoint
CREATE INDEX "ota_tasks_changed" ON "ota_tasks" USING btree ("changed");--> statement-breakpoint
CREATE INDEX "ota_whites_device" ON "ota_whites" USING btree ("device_id");--> statement-breakpoint
CREATE UNIQUE INDEX "ota_versions_code" ON "ota_versions" USING btree ("tenant_id","model_id","package_name","ver_code") WHERE deleted_at is null;