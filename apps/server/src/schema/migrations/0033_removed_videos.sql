ALTER TABLE "oss_device_days" ADD COLUMN "removed_segments" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "oss_device_days" ADD COLUMN "removed_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "oss_device_days" ADD COLUMN "removed_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Subtracts deleted segments from what is stored, and adds them to the removed videos of their day. The uploads of a day
-- do not change.
CREATE OR REPLACE FUNCTION oms_segment_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
  SELECT expire_day, tenant_id, model_id, record_type, -count(*), -sum(bytes) FROM old_rows GROUP BY 1, 2, 3, 4;
  UPDATE oss_device_days o SET removed_segments = o.removed_segments + x.segments, removed_ms = o.removed_ms + x.ms,
    removed_bytes = o.removed_bytes + x.bytes
  FROM (SELECT device_id, channel, day, tenant_id, owner_id, count(*) AS segments, sum(duration_ms) AS ms, sum(bytes) AS bytes
    FROM old_rows GROUP BY 1, 2, 3, 4, 5) x
  WHERE o.device_id = x.device_id AND o.channel = x.channel AND o.day = x.day AND o.tenant_id = x.tenant_id
    AND o.owner_id = x.owner_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Days on which users deleted videos earlier. All videos of such a day are in one partition.
UPDATE oss_device_days o SET removed_segments = o.segments - x.segments, removed_ms = o.duration_ms - x.ms,
  removed_bytes = o.bytes - x.bytes
FROM (SELECT device_id, channel, day, tenant_id, owner_id, count(*) AS segments, sum(duration_ms) AS ms, sum(bytes) AS bytes
  FROM oss_segments WHERE device_id IN (SELECT device_id FROM oss_purges WHERE reason = 2) GROUP BY 1, 2, 3, 4, 5) x
WHERE o.device_id = x.device_id AND o.channel = x.channel AND o.day = x.day AND o.tenant_id = x.tenant_id
  AND o.owner_id = x.owner_id AND cardinality(o.expire_days) = 1 AND o.segments > x.segments;
--> statement-breakpoint
-- Days of the last week whose videos were all deleted. Older days without videos are over.
UPDATE oss_device_days SET removed_segments = segments, removed_ms = duration_ms, removed_bytes = bytes
WHERE expire_days = '{}' AND removed_segments = 0 AND day >= current_date - 8;
