CREATE TABLE "oss_trouble_days" (
	"tenant_id" integer NOT NULL,
	"day" date NOT NULL,
	"channels" integer NOT NULL,
	CONSTRAINT "oss_trouble_days_pk" PRIMARY KEY("tenant_id","day")
);
--> statement-breakpoint
ALTER TABLE "oss_trouble_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP INDEX "oss_notices_once";--> statement-breakpoint
ALTER TABLE "oss_app_keys" ADD COLUMN "session_epoch" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "oss_notices" ADD COLUMN "kind" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "app_accounts" ADD COLUMN "session_epoch" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_notices_once" ON "oss_notices" USING btree ("device_id","channel","end_time","kind","days");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_trouble_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));
--> statement-breakpoint
UPDATE oss_notices SET kind = 2 WHERE days = 0;
--> statement-breakpoint
-- A disabled or deleted key, and a key with another secret, ends its App sessions. Enabling the key does not revive them.
CREATE FUNCTION oms_raise_session_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.session_epoch := OLD.session_epoch + 1;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_app_keys_sessions BEFORE UPDATE OF status, secret_encrypted, deleted_at ON oss_app_keys FOR EACH ROW
  WHEN (NEW.status <> OLD.status OR NEW.secret_encrypted <> OLD.secret_encrypted
    OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at)
  EXECUTE FUNCTION oms_raise_session_epoch();
--> statement-breakpoint
CREATE TRIGGER app_accounts_sessions BEFORE UPDATE OF status, deleted_at ON app_accounts FOR EACH ROW
  WHEN (NEW.status <> OLD.status OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at)
  EXECUTE FUNCTION oms_raise_session_epoch();
--> statement-breakpoint
-- The sessions of a tenant's Apps end when the tenant is disabled.
CREATE FUNCTION oms_end_tenant_app_sessions() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE oss_app_keys SET session_epoch = session_epoch + 1 WHERE tenant_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tenants_app_sessions AFTER UPDATE OF status ON tenants FOR EACH ROW
  WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION oms_end_tenant_app_sessions();
