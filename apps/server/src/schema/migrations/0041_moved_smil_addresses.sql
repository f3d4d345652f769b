-- A screen belongs to the tenant of its device and ends with the device. What it reported about the content of its former
-- tenant ends with the change, and so does the address of its SMIL player, which people of the former tenant know.
CREATE OR REPLACE FUNCTION oms_screen_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF NEW.deleted_at IS NOT NULL THEN
    DELETE FROM ad_screens WHERE device_id = NEW.id;
  ELSE
    UPDATE ad_screens SET tenant_id = NEW.tenant_id, now_playing = NULL, failed = '[]', fail_notice_time = NULL,
      applied_etag = '', ready_files = 0, total_files = 0, smil_key_hash = '', smil_uuid = '', smil_replaced = 0
    WHERE device_id = NEW.id AND tenant_id <> NEW.tenant_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Addresses of screens that moved since their last change by a person.
UPDATE ad_screens s SET smil_key_hash = '', smil_uuid = '', smil_replaced = 0
FROM device_former_tenants f
WHERE f.device_id = s.device_id AND f.end_time > s.update_time AND s.smil_key_hash <> '';
