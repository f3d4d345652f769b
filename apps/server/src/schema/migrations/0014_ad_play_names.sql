CREATE INDEX "ad_names_name" ON "ad_names" USING btree ("kind","name");--> statement-breakpoint
ALTER TABLE "ad_play_days" DROP CONSTRAINT "ad_play_days_pk";
--> statement-breakpoint
ALTER TABLE "ad_play_days" ADD CONSTRAINT "ad_play_days_pk" PRIMARY KEY("day","device_id","program_id","ad_id","tenant_id");--> statement-breakpoint
-- Keeps the serial numbers of screens for the statistics. The job that merges plays adds devices without a screen.
CREATE FUNCTION oms_ad_screen_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO ad_names (kind, id, name, deleted)
  SELECT 3, id, sn, (deleted_at IS NOT NULL)::int FROM devices WHERE id = NEW.device_id
  ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, deleted = excluded.deleted;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ad_screens_name AFTER INSERT ON ad_screens FOR EACH ROW EXECUTE FUNCTION oms_ad_screen_name();
--> statement-breakpoint
CREATE FUNCTION oms_ad_device_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE ad_names SET name = NEW.sn, deleted = (NEW.deleted_at IS NOT NULL)::int WHERE kind = 3 AND id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_ad_name AFTER UPDATE OF sn, deleted_at ON devices FOR EACH ROW
  WHEN (OLD.sn <> NEW.sn OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION oms_ad_device_name();
--> statement-breakpoint
CREATE FUNCTION oms_ad_tenant_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO ad_names (kind, id, name, deleted)
  VALUES (4, NEW.id, NEW.name, (NEW.deleted_at IS NOT NULL)::int)
  ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, deleted = excluded.deleted;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tenants_ad_name AFTER INSERT OR UPDATE OF name, deleted_at ON tenants
  FOR EACH ROW EXECUTE FUNCTION oms_ad_tenant_name();
--> statement-breakpoint
INSERT INTO ad_names (kind, id, name, deleted)
SELECT 4, id, name, (deleted_at IS NOT NULL)::int FROM tenants ON CONFLICT DO NOTHING;
