CREATE TABLE "ticket_facts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"dim" smallint NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"key" varchar(64) DEFAULT '' NOT NULL,
	"n" integer NOT NULL,
	"total" bigint DEFAULT 0 NOT NULL,
	"fresh" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticket_files" (
	"ticket_id" integer NOT NULL,
	"file_id" varchar(32) NOT NULL,
	"kind" smallint NOT NULL,
	"name" varchar(200) NOT NULL,
	"size" bigint NOT NULL,
	"sort" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "ticket_files_pk" PRIMARY KEY("ticket_id","kind","file_id")
);
--> statement-breakpoint
CREATE TABLE "ticket_fleet" (
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"ver_code" integer NOT NULL,
	"os_ver" varchar(64) DEFAULT '' NOT NULL,
	"devices" integer NOT NULL,
	"count_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_fleet_pk" PRIMARY KEY("tenant_id","model_id","ver_code")
);
--> statement-breakpoint
CREATE TABLE "ticket_numbers" (
	"day" date PRIMARY KEY NOT NULL,
	"last" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticket_records" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"ticket_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"uid" integer,
	"realname" varchar(50) DEFAULT '' NOT NULL,
	"handler_id" integer,
	"handler" varchar(50) DEFAULT '' NOT NULL,
	"status" smallint NOT NULL,
	"from_status" smallint,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"detail" varchar(500) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticket_templates" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"title" varchar(50) NOT NULL,
	"content" varchar(200) NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "ticket_viewers" (
	"ticket_id" integer NOT NULL,
	"uid" integer NOT NULL,
	"realname" varchar(50) DEFAULT '' NOT NULL,
	"typing" smallint DEFAULT 0 NOT NULL,
	"seen_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_viewers_pk" PRIMARY KEY("ticket_id","uid")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"feedback_no" varchar(20) NOT NULL,
	"account" varchar(50) DEFAULT '' NOT NULL,
	"contact" varchar(50) DEFAULT '' NOT NULL,
	"app_account_id" integer,
	"device_id" integer,
	"sn" varchar(64) DEFAULT '' NOT NULL,
	"dev_name" varchar(64) DEFAULT '' NOT NULL,
	"model_id" integer,
	"model_name" varchar(32) DEFAULT '' NOT NULL,
	"type_name" varchar(32) DEFAULT '' NOT NULL,
	"ver_code" integer,
	"os_ver" varchar(64) DEFAULT '' NOT NULL,
	"dev_create_time" timestamp (3) with time zone,
	"problem_type" smallint NOT NULL,
	"content" varchar(2000) NOT NULL,
	"problem_attr" jsonb DEFAULT '{"hardware":[],"software":[],"structure":[]}'::jsonb NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"handler_id" integer,
	"handler" varchar(50) DEFAULT '' NOT NULL,
	"last_handler_id" integer,
	"priority" smallint DEFAULT 2 NOT NULL,
	"source" smallint DEFAULT 2 NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"first_respond_time" timestamp (3) with time zone,
	"close_time" timestamp (3) with time zone,
	"reopen_count" integer DEFAULT 0 NOT NULL,
	"sla_respond_due" timestamp (3) with time zone,
	"sla_solve_due" timestamp (3) with time zone,
	"sla_state" smallint DEFAULT 0 NOT NULL,
	"sla_next_time" timestamp (3) with time zone,
	"sla_breached" boolean DEFAULT false NOT NULL,
	"suspend_time" timestamp (3) with time zone,
	"paused_minutes" integer DEFAULT 0 NOT NULL,
	"suspend_until" timestamp (3) with time zone,
	"satisfaction" smallint,
	"satisfaction_remark" varchar(200) DEFAULT '' NOT NULL,
	"merged_into_id" integer,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX "ticket_facts_dim" ON "ticket_facts" USING btree ("dim","day","tenant_id","model_id");--> statement-breakpoint
CREATE INDEX "ticket_facts_fresh" ON "ticket_facts" USING btree ("day") WHERE fresh;--> statement-breakpoint
CREATE INDEX "ticket_records_ticket" ON "ticket_records" USING btree ("ticket_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ticket_templates_title" ON "ticket_templates" USING btree ("tenant_id","title") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "tickets_no" ON "tickets" USING btree ("feedback_no");--> statement-breakpoint
CREATE INDEX "tickets_tenant" ON "tickets" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "tickets_sn" ON "tickets" USING btree ("sn","id") WHERE sn <> '';--> statement-breakpoint
CREATE INDEX "tickets_created" ON "tickets" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "tickets_closed" ON "tickets" USING btree ("close_time","id") WHERE close_time is not null;--> statement-breakpoint
CREATE INDEX "tickets_updated" ON "tickets" USING btree ("update_time","id");--> statement-breakpoint
CREATE INDEX "tickets_open" ON "tickets" USING btree ("handler_id","id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_open_all" ON "tickets" USING btree ("id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_open_priority" ON "tickets" USING btree ("priority","id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_status" ON "tickets" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "tickets_handler" ON "tickets" USING btree ("last_handler_id","id");--> statement-breakpoint
CREATE INDEX "tickets_model" ON "tickets" USING btree ("model_id","ver_code","id");--> statement-breakpoint
CREATE INDEX "tickets_sla" ON "tickets" USING btree ("sla_next_time") WHERE sla_next_time is not null;--> statement-breakpoint
CREATE INDEX "tickets_remind" ON "tickets" USING btree ("suspend_until") WHERE suspend_until is not null;--> statement-breakpoint
CREATE INDEX "tickets_breached" ON "tickets" USING btree ("id") WHERE sla_state = 3 and status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_tags" ON "tickets" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "tickets_attr" ON "tickets" USING gin ("problem_attr");--> statement-breakpoint
CREATE INDEX "tickets_merged" ON "tickets" USING btree ("merged_into_id") WHERE merged_into_id is not null;