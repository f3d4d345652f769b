CREATE TABLE "device_former_tenants" (
	"device_id" integer NOT NULL,
	"end_time" timestamp (3) with time zone NOT NULL,
	"tenant_id" integer NOT NULL,
	CONSTRAINT "device_former_tenants_pk" PRIMARY KEY("device_id","end_time")
);
--> statement-breakpoint
ALTER TABLE "device_former_tenants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "device_former_tenants" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
-- Stores the former tenant of a device. The trigger devices_owner has set owner_time to the time of the change. Of two
-- changes within a millisecond, the first one counts.
CREATE FUNCTION oms_device_tenant_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO device_former_tenants (device_id, end_time, tenant_id) VALUES (OLD.id, NEW.owner_time, OLD.tenant_id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_former_tenant AFTER UPDATE OF tenant_id ON devices FOR EACH ROW
  WHEN (OLD.tenant_id <> NEW.tenant_id) EXECUTE FUNCTION oms_device_tenant_changed();
--> statement-breakpoint
-- A screen belongs to the tenant of its device and ends with the device. What it reported about the content of its former
-- tenant ends with the change.
CREATE OR REPLACE FUNCTION oms_screen_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF NEW.deleted_at IS NOT NULL THEN
    DELETE FROM ad_screens WHERE device_id = NEW.id;
  ELSE
    UPDATE ad_screens SET tenant_id = NEW.tenant_id, now_playing = NULL, failed = '[]', fail_notice_time = NULL,
      applied_etag = '', ready_files = 0, total_files = 0
    WHERE device_id = NEW.id AND tenant_id <> NEW.tenant_id;
  END IF;
  RETURN NULL;
END $$;
