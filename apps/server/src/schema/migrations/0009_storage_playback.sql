CREATE TABLE "oss_app_keys" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"key_name" varchar(32) NOT NULL,
	"key_id" varchar(24) NOT NULL,
	"secret_encrypted" varchar(200) NOT NULL,
	"origins" varchar(100)[] DEFAULT '{}' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "oss_app_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_app_nonces" (
	"key_id" varchar(24) NOT NULL,
	"nonce" varchar(64) NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_app_nonces_pk" PRIMARY KEY("key_id","nonce")
);
--> statement-breakpoint
CREATE TABLE "oss_consents" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"app_account_id" integer,
	"source" smallint NOT NULL,
	"file_id" varchar(32),
	"note" varchar(200) DEFAULT '' NOT NULL,
	"range_begin" timestamp (3) with time zone NOT NULL,
	"range_end" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"withdraw_time" timestamp (3) with time zone,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_consents" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_views" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channel" smallint NOT NULL,
	"app_account_id" integer,
	"consent_id" integer NOT NULL,
	"uid" integer NOT NULL,
	"oper_name" varchar(30) NOT NULL,
	"reason" varchar(200) NOT NULL,
	"begin_ms" bigint NOT NULL,
	"end_ms" bigint NOT NULL,
	"segments" integer NOT NULL,
	"ip" varchar(45) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_views" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_app_keys_key" ON "oss_app_keys" USING btree ("key_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_app_keys_name" ON "oss_app_keys" USING btree ("tenant_id","key_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "oss_app_keys_tenant" ON "oss_app_keys" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_app_nonces_time" ON "oss_app_nonces" USING btree ("create_time");--> statement-breakpoint
CREATE INDEX "oss_consents_tenant" ON "oss_consents" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_consents_device" ON "oss_consents" USING btree ("device_id","id");--> statement-breakpoint
CREATE INDEX "oss_consents_created" ON "oss_consents" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_views_tenant" ON "oss_views" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_views_device" ON "oss_views" USING btree ("device_id","id");--> statement-breakpoint
CREATE INDEX "oss_views_owner" ON "oss_views" USING btree ("app_account_id","id");--> statement-breakpoint
CREATE INDEX "oss_views_consent" ON "oss_views" USING btree ("consent_id");--> statement-breakpoint
CREATE INDEX "oss_views_created" ON "oss_views" USING btree ("create_time","id");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_app_keys" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_consents" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_views" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
-- A consent changes only by its withdrawal.
CREATE FUNCTION oms_consent_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.withdraw_time IS NOT NULL OR NEW.withdraw_time IS NULL
    OR (to_jsonb(NEW) - 'withdraw_time') <> (to_jsonb(OLD) - 'withdraw_time') THEN
    RAISE EXCEPTION 'a consent cannot be changed';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_consents_unchanged BEFORE UPDATE ON oss_consents FOR EACH ROW EXECUTE FUNCTION oms_consent_unchanged();
--> statement-breakpoint
CREATE TRIGGER oss_consents_kept BEFORE DELETE OR TRUNCATE ON oss_consents
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE TRIGGER oss_views_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_views
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE INDEX oss_consents_sn_trgm ON oss_consents USING gin (sn gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX oss_views_sn_trgm ON oss_views USING gin (sn gin_trgm_ops);
