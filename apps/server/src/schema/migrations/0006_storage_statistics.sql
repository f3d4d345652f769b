ALTER TABLE "oss_counts" ADD COLUMN "lapsed" smallint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "oss_entitlements" ADD COLUMN "lapsed" smallint DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- Counts entitlements by whether the service lapsed with them.
CREATE OR REPLACE FUNCTION oms_entitlement_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, expire_month, lapsed, n)
  SELECT tenant_id, package_id, record_type, source, state, date_trunc('month', end_time)::date, lapsed, count(*)
  FROM new_rows GROUP BY 1, 2, 3, 4, 5, 6, 7;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION oms_entitlement_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, expire_month, lapsed, n)
  SELECT tenant_id, package_id, record_type, source, state, date_trunc('month', end_time)::date, lapsed, sum(n)
  FROM (SELECT o.*, -1 AS n FROM old_rows o UNION ALL SELECT r.*, 1 FROM new_rows r) AS x
  GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION oms_entitlement_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, expire_month, lapsed, n)
  SELECT tenant_id, package_id, record_type, source, state, date_trunc('month', end_time)::date, lapsed, -count(*)
  FROM old_rows GROUP BY 1, 2, 3, 4, 5, 6, 7;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Counts only the ends of queues in force: a queue emptied by a cancellation ends nothing any more.
CREATE OR REPLACE FUNCTION oms_queue_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, count(*) FROM new_rows WHERE end_time IS NOT NULL AND next_time IS NOT NULL GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION oms_queue_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, sum(n)
  FROM (SELECT o.*, -1 AS n FROM old_rows o UNION ALL SELECT r.*, 1 FROM new_rows r) AS x
  WHERE end_time IS NOT NULL AND next_time IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION oms_queue_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, -count(*) FROM old_rows WHERE end_time IS NOT NULL AND next_time IS NOT NULL GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
UPDATE oss_entitlements e SET lapsed = 1 WHERE state = 2 AND NOT EXISTS (SELECT FROM oss_entitlements f
  WHERE f.device_id = e.device_id AND f.channel = e.channel AND f.start_time = e.end_time);
--> statement-breakpoint
DELETE FROM oss_ends;
--> statement-breakpoint
INSERT INTO oss_ends (day, tenant_id, package_id, n)
SELECT end_time::date, tenant_id, last_package_id, count(*) FROM oss_queues
WHERE end_time IS NOT NULL AND next_time IS NOT NULL GROUP BY 1, 2, 3;
