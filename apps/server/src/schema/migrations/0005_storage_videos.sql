CREATE TABLE "oss_days" (
	"expire_day" date PRIMARY KEY NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"progress" smallint DEFAULT 0 NOT NULL,
	"objects" bigint DEFAULT 0 NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_device_days" (
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	"model_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"expire_days" date[] NOT NULL,
	"segments" integer NOT NULL,
	"events" integer DEFAULT 0 NOT NULL,
	"duration_ms" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"first_ms" bigint NOT NULL,
	"last_ms" bigint NOT NULL,
	CONSTRAINT "oss_device_days_pk" PRIMARY KEY("device_id","channel","day","tenant_id","owner_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
ALTER TABLE "oss_device_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_device_status" (
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"tenant_id" integer NOT NULL,
	"ask_time" timestamp (3) with time zone,
	"answer" varchar(16) DEFAULT '' NOT NULL,
	"upload_time" timestamp (3) with time zone,
	"trouble_time" timestamp (3) with time zone,
	"trouble_code" varchar(32) DEFAULT '' NOT NULL,
	"trouble_text" varchar(200) DEFAULT '' NOT NULL,
	CONSTRAINT "oss_device_status_pk" PRIMARY KEY("device_id","channel")
);
--> statement-breakpoint
ALTER TABLE "oss_device_status" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_events" (
	"expire_day" date NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"event_no" integer NOT NULL,
	"type" smallint NOT NULL,
	"start_ms" bigint NOT NULL,
	"end_ms" bigint NOT NULL,
	"picture_ms" bigint,
	"segments" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_events_pk" PRIMARY KEY("expire_day","device_id","channel","tenant_id","owner_id","event_no")
) PARTITION BY RANGE ("expire_day");
--> statement-breakpoint
ALTER TABLE "oss_events" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_purges" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint,
	"reason" smallint NOT NULL,
	"from_ms" bigint DEFAULT 0 NOT NULL,
	"until_ms" bigint NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"segments" integer DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"done_time" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "oss_purges" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_segments" (
	"expire_day" date NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"kind" smallint NOT NULL,
	"start_ms" bigint NOT NULL,
	"duration_ms" integer NOT NULL,
	"bytes" integer NOT NULL,
	"session" integer DEFAULT 0 NOT NULL,
	"seq" integer DEFAULT 0 NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	"entitlement_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"init_bytes" integer DEFAULT 0 NOT NULL,
	"salt" integer NOT NULL,
	"day" date NOT NULL,
	"format" smallint NOT NULL,
	"record_type" smallint NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	CONSTRAINT "oss_segments_pk" PRIMARY KEY("expire_day","device_id","channel","kind","start_ms"),
	CONSTRAINT "oss_segments_size" CHECK (bytes > 0 and (kind = 2 or duration_ms > 0))
) PARTITION BY RANGE ("expire_day");
--> statement-breakpoint
ALTER TABLE "oss_segments" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_stored" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"expire_day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"segments" integer NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_stored" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_usage_days" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"segments" integer NOT NULL,
	"duration_ms" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"device_days" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_usage_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "owner_time" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "oss_queues" ADD COLUMN "switched_off" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "oss_queues" ADD COLUMN "purged_end" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "oss_queues" ADD COLUMN "changed" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
CREATE INDEX "oss_purges_open" ON "oss_purges" USING btree ("id") WHERE state = 0;--> statement-breakpoint
CREATE INDEX "oss_purges_device" ON "oss_purges" USING btree ("device_id","id");--> statement-breakpoint
CREATE INDEX "oss_stored_day" ON "oss_stored" USING btree ("expire_day","tenant_id");--> statement-breakpoint
CREATE INDEX "oss_usage_days_day" ON "oss_usage_days" USING btree ("day","tenant_id");--> statement-breakpoint
CREATE INDEX "oss_queues_changed" ON "oss_queues" USING btree ("changed");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_device_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_device_status" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_events" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_purges" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_segments" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_stored" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_usage_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));
--> statement-breakpoint
-- Recordings of days without a partition. The writer creates the partition of a day before its first row.
CREATE TABLE oss_segments_other PARTITION OF oss_segments DEFAULT;
--> statement-breakpoint
CREATE TABLE oss_events_other PARTITION OF oss_events DEFAULT;
--> statement-breakpoint
CREATE TABLE oss_device_days_other PARTITION OF oss_device_days DEFAULT;
--> statement-breakpoint
-- Policies of the parent do not hold when a partition is named directly, so tenants have no rights on partitions.
REVOKE ALL ON oss_segments_other, oss_events_other, oss_device_days_other FROM oms_tenant;
--> statement-breakpoint
-- Creates the partitions of these expire days.
CREATE FUNCTION oms_ensure_video_days(days date[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  base text;
  one date;
  part text;
BEGIN
  FOREACH one IN ARRAY days LOOP
    FOREACH base IN ARRAY ARRAY['oss_segments', 'oss_events'] LOOP
      part := base || '_' || to_char(one, 'YYYYMMDD');
      IF to_regclass(part) IS NULL THEN
        PERFORM pg_advisory_xact_lock(7302519, 4);
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', part, base, one, one + 1);
        EXECUTE format('REVOKE ALL ON %I FROM oms_tenant', part);
      END IF;
    END LOOP;
    INSERT INTO oss_days (expire_day) VALUES (one) ON CONFLICT DO NOTHING;
  END LOOP;
END $$;
--> statement-breakpoint
-- Creates the partitions of `oss_device_days`: from last month to `ahead` months after this month.
CREATE FUNCTION oms_ensure_device_days(ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text;
BEGIN
  PERFORM oms_ensure_partitions('oss_device_days', ahead);
  FOR part IN SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'oss_device_days'::regclass LOOP
    EXECUTE format('REVOKE ALL ON %s FROM oms_tenant', part);
  END LOOP;
END $$;
--> statement-breakpoint
SELECT oms_ensure_device_days(3);
--> statement-breakpoint
-- Appends the sums of new segments.
CREATE FUNCTION oms_segment_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
  SELECT expire_day, tenant_id, model_id, record_type, count(*), sum(bytes) FROM new_rows GROUP BY 1, 2, 3, 4;
  INSERT INTO oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes, device_days)
  SELECT day, tenant_id, model_id, record_type, count(*), sum(duration_ms), sum(bytes), 0 FROM new_rows GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Subtracts deleted segments from what is stored. The usage of past days does not change.
CREATE FUNCTION oms_segment_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
  SELECT expire_day, tenant_id, model_id, record_type, -count(*), -sum(bytes) FROM old_rows GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_segments_inserted AFTER INSERT ON oss_segments REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_segment_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_segments_deleted AFTER DELETE ON oss_segments REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_segment_deleted();
--> statement-breakpoint
-- Counts the channels with an upload on a day.
CREATE FUNCTION oms_device_day_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes, device_days)
  SELECT day, tenant_id, model_id, record_type, 0, 0, 0, count(*) FROM new_rows GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_device_days_inserted AFTER INSERT ON oss_device_days REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_device_day_inserted();
--> statement-breakpoint
-- A change of the App account, of the tenant, or a deletion of a device ends the use of its videos: the videos are deleted
-- early, and recordings from before are not taken any more.
CREATE FUNCTION oms_device_owner_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  NEW.owner_time := clock_timestamp();
  IF EXISTS (SELECT FROM oss_queues WHERE device_id = OLD.id) THEN
    UPDATE oss_queues SET switched_off = 0 WHERE device_id = OLD.id AND switched_off = 1;
    INSERT INTO oss_purges (tenant_id, owner_id, device_id, reason, until_ms)
    SELECT OLD.tenant_id, 0, OLD.id,
      CASE WHEN NEW.tenant_id <> OLD.tenant_id THEN 4 WHEN NEW.deleted_at IS NOT NULL THEN 5 ELSE 3 END,
      floor(extract(epoch FROM NEW.owner_time) * 1000)
    WHERE OLD.app_account_id IS NOT NULL OR NEW.tenant_id <> OLD.tenant_id OR NEW.deleted_at IS NOT NULL;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_owner BEFORE UPDATE OF app_account_id, tenant_id, deleted_at ON devices FOR EACH ROW
  WHEN (OLD.app_account_id IS DISTINCT FROM NEW.app_account_id OR OLD.tenant_id <> NEW.tenant_id
    OR (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL))
  EXECUTE FUNCTION oms_device_owner_changed();
--> statement-breakpoint
-- The index of every process also holds the App account of a device.
DROP TRIGGER devices_mark ON devices;
--> statement-breakpoint
CREATE TRIGGER devices_mark BEFORE UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash,
  attributes_wanted, deleted_at, app_account_id ON devices FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
DROP TRIGGER devices_notify ON devices;
--> statement-breakpoint
CREATE TRIGGER devices_notify AFTER INSERT OR UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash,
  attributes_wanted, deleted_at, app_account_id ON devices FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
CREATE TRIGGER oss_queues_mark BEFORE UPDATE OF tenant_id, suspended, end_time, next_time, last_package_id, switched_off
  ON oss_queues FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
CREATE TRIGGER oss_queues_notify AFTER INSERT OR UPDATE OF tenant_id, suspended, end_time, next_time, last_package_id,
  switched_off ON oss_queues FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
