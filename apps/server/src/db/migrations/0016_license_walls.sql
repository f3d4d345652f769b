-- Byte by byte: beginnings and ranges of UIDs are ranges of the index then.
ALTER TABLE licenses ALTER COLUMN uid TYPE varchar(64) COLLATE "C";
--> statement-breakpoint
ALTER TABLE licenses SET (fillfactor = 85);
--> statement-breakpoint
-- What happened has happened.
CREATE FUNCTION oms_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only added to', TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER license_ledger_fixed BEFORE UPDATE OR DELETE OR TRUNCATE ON license_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE TRIGGER license_events_fixed BEFORE UPDATE OR DELETE OR TRUNCATE ON license_events
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
-- Each statement appends what it changed, once for each kind of certificate, however many rows it touched.
CREATE FUNCTION oms_license_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO license_counts (tenant_id, vendor, type_code, batch_id, model_id, state, expire_month, n)
  SELECT coalesce(tenant_id, 0), vendor, type_code, batch_id, coalesce(model_id, 0), state,
    date_trunc('month', expire_time)::date, count(*) FROM new_rows GROUP BY 1, 2, 3, 4, 5, 6, 7;
  INSERT INTO license_flows (day, tenant_id, vendor, type_code, batch_id, model_id, kind, n)
  SELECT f.at::date, r.tenant_id, r.vendor, r.type_code, r.batch_id, coalesce(r.model_id, 0), f.kind, count(*)
  FROM new_rows r, LATERAL (VALUES (1, r.allot_time), (3, r.activate_time)) AS f (kind, at)
  WHERE f.at IS NOT NULL AND r.tenant_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_license_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO license_counts (tenant_id, vendor, type_code, batch_id, model_id, state, expire_month, n)
  SELECT coalesce(tenant_id, 0), vendor, type_code, batch_id, coalesce(model_id, 0), state,
    date_trunc('month', expire_time)::date, sum(n)
  FROM (SELECT o.*, -1 AS n FROM old_rows o UNION ALL SELECT r.*, 1 FROM new_rows r) AS x
  GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(n) <> 0;
  INSERT INTO license_flows (day, tenant_id, vendor, type_code, batch_id, model_id, kind, n)
  SELECT f.at::date, f.tenant_id, r.vendor, r.type_code, r.batch_id, coalesce(r.model_id, 0), f.kind, sum(f.n)
  FROM new_rows r JOIN old_rows o ON o.id = r.id, LATERAL (VALUES
    (1, CASE WHEN r.allot_time IS DISTINCT FROM o.allot_time THEN r.allot_time END, r.tenant_id, 1),
    (1, CASE WHEN o.allot_time IS NOT NULL AND r.allot_time IS NULL THEN now() END, o.tenant_id, -1),
    (3, CASE WHEN r.activate_time IS DISTINCT FROM o.activate_time THEN r.activate_time END, r.tenant_id, 1)
  ) AS f (kind, at, tenant_id, n)
  WHERE f.at IS NOT NULL AND f.tenant_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_license_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO license_counts (tenant_id, vendor, type_code, batch_id, model_id, state, expire_month, n)
  SELECT coalesce(tenant_id, 0), vendor, type_code, batch_id, coalesce(model_id, 0), state,
    date_trunc('month', expire_time)::date, -count(*) FROM old_rows GROUP BY 1, 2, 3, 4, 5, 6, 7;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER licenses_inserted AFTER INSERT ON licenses REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_license_inserted();
--> statement-breakpoint
CREATE TRIGGER licenses_updated AFTER UPDATE ON licenses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_license_updated();
--> statement-breakpoint
CREATE TRIGGER licenses_deleted AFTER DELETE ON licenses REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_license_deleted();
--> statement-breakpoint
-- A device that is handed to another customer takes its certificate along.
CREATE FUNCTION oms_license_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  WITH moved AS (
    UPDATE licenses SET tenant_id = NEW.tenant_id, grant_id = NULL WHERE device_id = NEW.id RETURNING id, state
  )
  INSERT INTO license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, uid, reason)
  SELECT id, 'transfer', state, state, NEW.tenant_id, NEW.id, NEW.sn, NEW.update_by, '设备转移客户' FROM moved;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_license AFTER UPDATE OF tenant_id ON devices FOR EACH ROW
  WHEN (OLD.tenant_id IS DISTINCT FROM NEW.tenant_id AND NEW.uid <> '') EXECUTE FUNCTION oms_license_follows();
--> statement-breakpoint
SELECT oms_wall(t, 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)')
FROM unnest(ARRAY['licenses', 'license_events', 'license_grants', 'license_ledger', 'license_counts', 'license_flows']) AS t;
--> statement-breakpoint
-- Of a delivery a customer sees the number, where some of its certificates are the customer's.
SELECT oms_wall('license_batches', 'EXISTS (SELECT FROM licenses l WHERE l.batch_id = license_batches.id)');
--> statement-breakpoint
SELECT oms_wall('license_thresholds', 'false');
