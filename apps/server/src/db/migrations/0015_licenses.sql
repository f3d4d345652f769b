CREATE TABLE "license_batches" (
	"id" serial PRIMARY KEY NOT NULL,
	"batch_no" varchar(32) NOT NULL,
	"vendor" smallint NOT NULL,
	"order_no" varchar(50) DEFAULT '' NOT NULL,
	"file_name" varchar(255) DEFAULT '' NOT NULL,
	"file_hash" varchar(64),
	"total" integer DEFAULT 0 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"vendor" smallint NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"batch_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"state" smallint NOT NULL,
	"expire_month" date,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"license_id" integer NOT NULL,
	"action" varchar(16) NOT NULL,
	"from_state" smallint,
	"to_state" smallint NOT NULL,
	"tenant_id" integer,
	"device_id" integer,
	"device_sn" varchar(64) DEFAULT '' NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_flows" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"vendor" smallint NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"batch_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_grants" (
	"id" serial PRIMARY KEY NOT NULL,
	"grant_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"model_id" integer,
	"quota" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"valid_from" date NOT NULL,
	"valid_to" date NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"contract_no" varchar(50) DEFAULT '' NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"apply_by" integer,
	"apply_name" varchar(30) DEFAULT '' NOT NULL,
	"audit_by" integer,
	"audit_name" varchar(30) DEFAULT '' NOT NULL,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "license_grants_used" CHECK (used >= 0 and used <= quota)
);
--> statement-breakpoint
CREATE TABLE "license_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"grant_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"amount" integer NOT NULL,
	"balance" integer NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "license_ledger_balance" CHECK (balance >= 0)
);
--> statement-breakpoint
CREATE TABLE "license_thresholds" (
	"vendor" smallint PRIMARY KEY NOT NULL,
	"threshold" integer DEFAULT 0 NOT NULL,
	"warned" smallint DEFAULT 0 NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "licenses" (
	"id" serial PRIMARY KEY NOT NULL,
	"uid" varchar(64) NOT NULL,
	"vendor" smallint NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"key_sealed" text DEFAULT '' NOT NULL,
	"batch_id" integer NOT NULL,
	"tenant_id" integer,
	"model_id" integer,
	"device_id" integer,
	"grant_id" integer,
	"state" smallint DEFAULT 0 NOT NULL,
	"import_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"allot_time" timestamp (3) with time zone,
	"bind_time" timestamp (3) with time zone,
	"activate_time" timestamp (3) with time zone,
	"expire_time" timestamp (3) with time zone,
	"warned_days" smallint,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "licenses_state_known" CHECK (state between 0 and 6),
	CONSTRAINT "licenses_stock_free" CHECK (state <> 0 or (tenant_id is null and device_id is null)),
	CONSTRAINT "licenses_bound" CHECK (state not in (2, 3) or (tenant_id is not null and device_id is not null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "license_batches_no" ON "license_batches" USING btree ("batch_no");--> statement-breakpoint
CREATE UNIQUE INDEX "license_batches_file" ON "license_batches" USING btree ("file_hash");--> statement-breakpoint
CREATE INDEX "license_batches_vendor" ON "license_batches" USING btree ("vendor","id");--> statement-breakpoint
CREATE INDEX "license_events_license" ON "license_events" USING btree ("license_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "license_grants_no" ON "license_grants" USING btree ("grant_no");--> statement-breakpoint
CREATE INDEX "license_grants_tenant" ON "license_grants" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "license_grants_type" ON "license_grants" USING btree ("tenant_id","type_code","status");--> statement-breakpoint
CREATE INDEX "license_grants_status" ON "license_grants" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "license_grants_valid" ON "license_grants" USING btree ("valid_to","id");--> statement-breakpoint
CREATE INDEX "license_ledger_grant" ON "license_ledger" USING btree ("grant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "licenses_uid" ON "licenses" USING btree ("uid");--> statement-breakpoint
CREATE UNIQUE INDEX "licenses_device" ON "licenses" USING btree ("device_id") WHERE device_id is not null;--> statement-breakpoint
CREATE INDEX "licenses_stock" ON "licenses" USING btree ("vendor","type_code","id") WHERE state = 0;--> statement-breakpoint
CREATE INDEX "licenses_batch" ON "licenses" USING btree ("batch_id","id");--> statement-breakpoint
CREATE INDEX "licenses_tenant" ON "licenses" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "licenses_model" ON "licenses" USING btree ("model_id","id");--> statement-breakpoint
CREATE INDEX "licenses_state" ON "licenses" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "licenses_vendor" ON "licenses" USING btree ("vendor","id");--> statement-breakpoint
CREATE INDEX "licenses_allotted" ON "licenses" USING btree ("allot_time","id") WHERE allot_time is not null;--> statement-breakpoint
CREATE INDEX "licenses_activated" ON "licenses" USING btree ("activate_time","id") WHERE activate_time is not null;--> statement-breakpoint
CREATE INDEX "licenses_expire" ON "licenses" USING btree ("expire_time","id") WHERE expire_time is not null;