CREATE TABLE "oss_card_attempts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"uid" integer NOT NULL,
	"ip" varchar(64) NOT NULL,
	"create_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_card_batches" (
	"id" serial PRIMARY KEY NOT NULL,
	"batch_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"count" integer NOT NULL,
	"unit_amount" integer DEFAULT 0 NOT NULL,
	"valid_to" date NOT NULL,
	"file_encrypted" text DEFAULT '' NOT NULL,
	"exported_time" timestamp (3) with time zone,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_card_batches" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_cards" (
	"id" serial PRIMARY KEY NOT NULL,
	"batch_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"tail" varchar(4) NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"used_by" integer,
	"used_time" timestamp (3) with time zone,
	"sn" varchar(64) DEFAULT '' NOT NULL,
	"entitlement_id" integer,
	CONSTRAINT "oss_cards_used" CHECK ((state = 1) = (entitlement_id is not null))
);
--> statement-breakpoint
ALTER TABLE "oss_cards" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "oss_card_attempts_uid" ON "oss_card_attempts" USING btree ("uid","create_time");--> statement-breakpoint
CREATE INDEX "oss_card_attempts_ip" ON "oss_card_attempts" USING btree ("ip","create_time");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_card_batches_no" ON "oss_card_batches" USING btree ("batch_no");--> statement-breakpoint
CREATE INDEX "oss_card_batches_file" ON "oss_card_batches" USING btree ("create_time") WHERE file_encrypted <> '';--> statement-breakpoint
CREATE UNIQUE INDEX "oss_cards_code" ON "oss_cards" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "oss_cards_batch" ON "oss_cards" USING btree ("batch_id","id");--> statement-breakpoint
CREATE INDEX "oss_cards_entitlement" ON "oss_cards" USING btree ("entitlement_id") WHERE entitlement_id is not null;--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_card_batches" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_cards" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE SEQUENCE oss_card_batch_no;
--> statement-breakpoint
GRANT USAGE, SELECT ON SEQUENCE oss_card_batch_no TO oms_tenant;
