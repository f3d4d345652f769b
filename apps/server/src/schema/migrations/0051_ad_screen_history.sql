CREATE TABLE "ad_screen_periods" (
	"device_id" integer NOT NULL,
	"from_time" timestamp (3) with time zone NOT NULL,
	"until_time" timestamp (3) with time zone,
	"tenant_id" integer NOT NULL,
	"create_by" integer,
	"audience_factor" numeric(6, 2) NOT NULL,
	CONSTRAINT "ad_screen_periods_pk" PRIMARY KEY("device_id","from_time")
);
--> statement-breakpoint
ALTER TABLE "ad_screen_periods" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_former_members" (
	"group_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	CONSTRAINT "ad_former_members_pk" PRIMARY KEY("group_id","device_id")
);
--> statement-breakpoint
ALTER TABLE "ad_former_members" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_screen_periods" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_former_members" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (EXISTS (SELECT FROM device_groups g WHERE g.id = group_id)) WITH CHECK (EXISTS (SELECT FROM device_groups g WHERE g.id = group_id));--> statement-breakpoint
-- Periods of the present screens. A screen that was paired again has plays before its row was created. The period of a
-- device that moved begins with the move.
INSERT INTO ad_screen_periods (device_id, from_time, until_time, tenant_id, create_by, audience_factor)
SELECT s.device_id, least(greatest(s.create_time, f.end_time), p.first_play), NULL, s.tenant_id, s.create_by, s.audience_factor
FROM ad_screens s
LEFT JOIN (SELECT device_id, max(end_time) AS end_time FROM device_former_tenants GROUP BY 1) f USING (device_id)
LEFT JOIN (SELECT device_id, tenant_id, to_timestamp(min(first_start) / 1000.0) AS first_play FROM ad_play_days GROUP BY 1, 2) p
  USING (device_id, tenant_id);
--> statement-breakpoint
-- Periods of former screens, from the first to the last play. Their plays counted with the factor of the present screen,
-- or with 1.
INSERT INTO ad_screen_periods (device_id, from_time, until_time, tenant_id, audience_factor)
SELECT p.device_id, to_timestamp(min(p.first_start) / 1000.0), to_timestamp(max(p.last_end) / 1000.0), p.tenant_id,
  coalesce(max(s.audience_factor), 1)
FROM ad_play_days p LEFT JOIN ad_screens s ON s.device_id = p.device_id
WHERE NOT EXISTS (SELECT FROM ad_screens o WHERE o.device_id = p.device_id AND o.tenant_id = p.tenant_id)
GROUP BY p.device_id, p.tenant_id
ON CONFLICT DO NOTHING;
--> statement-breakpoint
CREATE FUNCTION oms_ad_screen_period() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  changed timestamptz(3);
  device int := coalesce(NEW.device_id, OLD.device_id);
BEGIN
  changed := CASE TG_OP
    WHEN 'UPDATE' THEN CASE WHEN NEW.update_time > OLD.update_time THEN NEW.update_time ELSE now() END
    ELSE now() END;
  -- The periods of a device do not overlap.
  SELECT greatest(changed, max(greatest(from_time, until_time))) INTO changed FROM ad_screen_periods WHERE device_id = device;
  UPDATE ad_screen_periods SET until_time = changed WHERE device_id = device AND until_time IS NULL;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO ad_screen_periods (device_id, from_time, tenant_id, create_by, audience_factor)
    VALUES (device, changed, NEW.tenant_id, NEW.create_by, NEW.audience_factor)
    ON CONFLICT (device_id, from_time) DO UPDATE SET until_time = NULL, tenant_id = excluded.tenant_id,
      create_by = excluded.create_by, audience_factor = excluded.audience_factor;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ad_screens_period_removed AFTER DELETE ON ad_screens FOR EACH ROW EXECUTE FUNCTION oms_ad_screen_period();
--> statement-breakpoint
-- Many screens may be created by one statement, when the players of a fleet request their first manifests.
CREATE FUNCTION oms_ad_screens_paired() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE ad_screen_periods p SET until_time = greatest(a.create_time, p.from_time)
  FROM added a WHERE p.device_id = a.device_id AND p.until_time IS NULL;
  INSERT INTO ad_screen_periods (device_id, from_time, tenant_id, create_by, audience_factor)
  SELECT a.device_id, greatest(a.create_time, l.last_time), a.tenant_id, a.create_by, a.audience_factor
  FROM added a LEFT JOIN LATERAL (
    SELECT max(greatest(p.from_time, p.until_time)) AS last_time FROM ad_screen_periods p WHERE p.device_id = a.device_id) l ON true
  ON CONFLICT (device_id, from_time) DO UPDATE SET until_time = NULL, tenant_id = excluded.tenant_id,
    create_by = excluded.create_by, audience_factor = excluded.audience_factor;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ad_screens_period AFTER INSERT ON ad_screens REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION oms_ad_screens_paired();
--> statement-breakpoint
CREATE TRIGGER ad_screens_period_changed AFTER UPDATE OF tenant_id, audience_factor ON ad_screens FOR EACH ROW
  WHEN (OLD.tenant_id <> NEW.tenant_id OR OLD.audience_factor <> NEW.audience_factor)
  EXECUTE FUNCTION oms_ad_screen_period();
--> statement-breakpoint
-- Keeps the members of static groups for the statistics when a device or a group is deleted. Both calls delete the
-- members after the row is marked as deleted.
CREATE FUNCTION oms_ad_former_members() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF TG_TABLE_NAME = 'devices' THEN
    INSERT INTO ad_former_members (group_id, device_id)
    SELECT group_id, device_id FROM device_group_members WHERE device_id = NEW.id
      AND EXISTS (SELECT FROM ad_names n WHERE n.kind = 3 AND n.id = NEW.id)
    ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO ad_former_members (group_id, device_id)
    SELECT m.group_id, m.device_id FROM device_group_members m
    JOIN ad_names n ON n.kind = 3 AND n.id = m.device_id WHERE m.group_id = NEW.id
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_former_members AFTER UPDATE OF deleted_at ON devices FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION oms_ad_former_members();
--> statement-breakpoint
CREATE TRIGGER device_groups_former_members AFTER UPDATE OF deleted_at ON device_groups FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION oms_ad_former_members();
--> statement-breakpoint
ALTER TABLE "ad_play_days" ADD COLUMN "exposure" bigint NOT NULL DEFAULT 0;--> statement-breakpoint
UPDATE ad_play_days d SET exposure = (d.plays + d.untrusted)::bigint
  * (coalesce((SELECT s.audience_factor FROM ad_screens s WHERE s.device_id = d.device_id), 1) * 100)::int;
--> statement-breakpoint
ALTER TABLE "ad_play_days" ALTER COLUMN "exposure" DROP DEFAULT;
