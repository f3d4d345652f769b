ALTER TABLE "oss_device_days" ADD COLUMN "entitlement_id" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "oss_device_days" DROP CONSTRAINT "oss_device_days_pk";--> statement-breakpoint
ALTER TABLE "oss_device_days" ADD CONSTRAINT "oss_device_days_pk" PRIMARY KEY("device_id","channel","day","tenant_id","owner_id","entitlement_id");--> statement-breakpoint
-- Recordings of the days to which cameras may still add recordings, by entitlement.
CREATE TEMPORARY TABLE device_day_parts ON COMMIT DROP AS
SELECT o.device_id, o.channel, o.day, o.tenant_id, o.owner_id, o.model_id, o.segments AS expected, o.record_type AS kept_type,
  s.entitlement_id,
  min(s.record_type) AS record_type, array_agg(DISTINCT s.expire_day) AS expire_days, count(*)::int AS segments,
  sum(s.duration_ms) AS duration_ms, sum(s.bytes) AS bytes, min(s.start_ms) AS first_ms,
  max(s.start_ms + s.duration_ms) AS last_ms
FROM oss_device_days o JOIN oss_segments s ON s.expire_day = ANY(o.expire_days) AND s.device_id = o.device_id AND s.channel = o.channel AND s.day = o.day
    AND s.tenant_id = o.tenant_id AND s.owner_id = o.owner_id
WHERE o.day >= current_date - 8 AND o.removed_segments = 0
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
--> statement-breakpoint
-- Days of which a recording no longer exists stay without an entitlement.
DELETE FROM device_day_parts p USING (
  SELECT device_id, channel, day, tenant_id, owner_id, sum(segments) AS segments FROM device_day_parts GROUP BY 1, 2, 3, 4, 5) t
WHERE t.device_id = p.device_id AND t.channel = p.channel AND t.day = p.day
    AND t.tenant_id = p.tenant_id AND t.owner_id = p.owner_id AND t.segments <> p.expected;
--> statement-breakpoint
-- The first entitlement with the recording type of the row keeps the row, which is counted under this type.
UPDATE oss_device_days o SET entitlement_id = p.entitlement_id, record_type = p.record_type, expire_days = p.expire_days,
  segments = p.segments, duration_ms = p.duration_ms, bytes = p.bytes, first_ms = p.first_ms, last_ms = p.last_ms
FROM (SELECT DISTINCT ON (device_id, channel, day, tenant_id, owner_id) * FROM device_day_parts
  ORDER BY device_id, channel, day, tenant_id, owner_id, record_type <> kept_type, first_ms) p
WHERE o.device_id = p.device_id AND o.channel = p.channel AND o.day = p.day
    AND o.tenant_id = p.tenant_id AND o.owner_id = p.owner_id;
--> statement-breakpoint
INSERT INTO oss_device_days (device_id, channel, day, tenant_id, owner_id, entitlement_id, model_id, record_type, expire_days,
  segments, duration_ms, bytes, first_ms, last_ms)
SELECT device_id, channel, day, tenant_id, owner_id, entitlement_id, model_id, record_type, expire_days, segments, duration_ms,
  bytes, first_ms, last_ms
FROM device_day_parts ON CONFLICT DO NOTHING;
--> statement-breakpoint
-- Subtracts deleted segments from what is stored, and adds them to the removed videos of their day and entitlement. Rows
-- from before this migration have no entitlement.
CREATE OR REPLACE FUNCTION oms_segment_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
  SELECT expire_day, tenant_id, model_id, record_type, -count(*), -sum(bytes) FROM old_rows GROUP BY 1, 2, 3, 4;
  UPDATE oss_device_days o SET removed_segments = o.removed_segments + x.segments, removed_ms = o.removed_ms + x.ms,
    removed_bytes = o.removed_bytes + x.bytes
  FROM (SELECT r.device_id, r.channel, r.day, r.tenant_id, r.owner_id, d.entitlement_id, sum(r.segments) AS segments,
      sum(r.ms) AS ms, sum(r.bytes) AS bytes
    FROM (SELECT device_id, channel, day, tenant_id, owner_id, entitlement_id, count(*) AS segments,
        sum(duration_ms) AS ms, sum(bytes) AS bytes FROM old_rows GROUP BY 1, 2, 3, 4, 5, 6) r
    CROSS JOIN LATERAL (SELECT max(entitlement_id) AS entitlement_id FROM oss_device_days d
      WHERE d.device_id = r.device_id AND d.channel = r.channel AND d.day = r.day
        AND d.tenant_id = r.tenant_id AND d.owner_id = r.owner_id
        AND d.entitlement_id IN (r.entitlement_id, 0)) d
    GROUP BY 1, 2, 3, 4, 5, 6) x
  WHERE o.device_id = x.device_id AND o.channel = x.channel AND o.day = x.day
    AND o.tenant_id = x.tenant_id AND o.owner_id = x.owner_id AND o.entitlement_id = x.entitlement_id;
  RETURN NULL;
END $$;
