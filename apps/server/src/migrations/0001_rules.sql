-- Creates the policies, triggers, functions, partitions and indexes that drizzle cannot describe.
GRANT USAGE ON SCHEMA public TO oms_tenant;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO oms_tenant;
--> statement-breakpoint
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO oms_tenant;
--> statement-breakpoint
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO oms_tenant;
--> statement-breakpoint
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO oms_tenant;
--> statement-breakpoint
-- Enables row-level security on a table and adds the policy of role `oms_tenant` with this condition.
CREATE FUNCTION oms_tenant_policy(table_name text, condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
  EXECUTE format('CREATE POLICY tenant_isolation ON %I TO oms_tenant USING (%s) WITH CHECK (%s)',
    table_name, condition, condition);
END $$;
--> statement-breakpoint
-- == Shared trigger functions == Stores the id of the writing transaction in `changed`, so that processes read only the
-- rows written since their last read.
CREATE FUNCTION oms_mark_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed := pg_current_xact_id();
  RETURN NEW;
END $$;
--> statement-breakpoint
-- Notifies every process that a statement changed a table of the fleet index.
CREATE FUNCTION oms_notify_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('oms', json_build_object('topic', 'fleet', 'table', TG_TABLE_NAME)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Notifies every process of the lists and the devices that a statement changed. The argument is the column of the
-- lists. Above 300 lists or 300 devices, the notification contains no ids, and processes read the table again.
CREATE FUNCTION oms_notify_members() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lists integer[];
  few integer[];
BEGIN
  EXECUTE format('SELECT array_agg(DISTINCT l) FROM (SELECT %I AS l FROM touched) t', TG_ARGV[0]) INTO lists;
  IF lists IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT array_agg(device_id) INTO few FROM (SELECT device_id FROM touched LIMIT 301) t;
  PERFORM pg_notify('oms', json_build_object('topic', 'fleet', 'table', TG_TABLE_NAME,
    'lists', CASE WHEN array_length(lists, 1) <= 300 THEN lists END,
    'devices', CASE WHEN array_length(few, 1) <= 300 THEN few END)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Notifies every process of the versions that a statement changed. Above 300 versions, the notification contains no
-- ids.
CREATE FUNCTION oms_notify_releases() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  lists integer[];
BEGIN
  SELECT array_agg(DISTINCT ota_id) INTO lists FROM touched;
  IF lists IS NOT NULL THEN
    PERFORM pg_notify('oms', json_build_object('topic', 'fleet', 'table', TG_TABLE_NAME,
      'lists', CASE WHEN array_length(lists, 1) <= 300 THEN lists END)::text);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Notifies every process when a display name has changed. Lists show display names instead of ids.
CREATE FUNCTION oms_notify_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('oms', json_build_object('topic', 'names', 'table', TG_TABLE_NAME)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Refuses every update and deletion of a row.
CREATE FUNCTION oms_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME;
END $$;
--> statement-breakpoint
-- == accounts, roles, sessions ==
CREATE INDEX accounts_account_trgm ON accounts USING gin (account gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX accounts_realname_trgm ON accounts USING gin (realname gin_trgm_ops);
--> statement-breakpoint
CREATE TRIGGER accounts_notify_name AFTER UPDATE OF account, realname ON accounts
  FOR EACH ROW WHEN (OLD.account IS DISTINCT FROM NEW.account OR OLD.realname IS DISTINCT FROM NEW.realname)
  EXECUTE FUNCTION oms_notify_name();
--> statement-breakpoint
SELECT oms_tenant_policy('accounts', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('roles', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('sessions', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('user_applications', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == tenants ==
CREATE INDEX tenants_name_trgm ON tenants USING gin (name gin_trgm_ops);
--> statement-breakpoint
-- Notifies processes of changed tenants, because device URLs contain the tenant and devices of a disabled tenant are
-- refused.
CREATE TRIGGER tenants_notify AFTER INSERT OR UPDATE OF tenant_no, status, deleted_at ON tenants
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
CREATE TRIGGER tenants_notify_name AFTER UPDATE OF name ON tenants
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION oms_notify_name();
--> statement-breakpoint
SELECT oms_tenant_policy('tenants', 'id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('tenant_scenes', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == industries ==
-- Industries belong to the platform; tenants read them.
ALTER TABLE industries ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON industries FOR SELECT TO oms_tenant USING (true);
--> statement-breakpoint
-- == app_accounts ==
CREATE INDEX app_accounts_account_trgm ON app_accounts USING gin (account gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX app_accounts_nickname_trgm ON app_accounts USING gin (nickname gin_trgm_ops);
--> statement-breakpoint
SELECT oms_tenant_policy('app_accounts', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == notices ==
-- Tenants read the platform's notices and their own, and write only their own.
ALTER TABLE notices ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON notices FOR SELECT TO oms_tenant
  USING (tenant_id IN (1, (SELECT current_setting('oms.tenant')::integer)));
--> statement-breakpoint
CREATE POLICY tenant_isolation ON notices TO oms_tenant
  USING (tenant_id = (SELECT current_setting('oms.tenant')::integer))
  WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));
--> statement-breakpoint
-- == oper_logs, login_logs ==
-- Creates the monthly partitions of a table: from last month to `ahead` months after this month. Months begin at midnight
-- UTC in every session. Returns the errors of months that cannot be created, because the default partition has rows of
-- the month or another partition covers a part of the month. Policies of the parent do not hold when a partition is
-- named directly, so tenants have no rights on partitions.
CREATE FUNCTION oms_ensure_partitions(base text, ahead integer) RETURNS text[] LANGUAGE plpgsql SET TimeZone = 'UTC' AS $$
DECLARE
  month date;
  part text;
  problems text[] := '{}';
BEGIN
  FOR step IN -1..ahead LOOP
    month := date_trunc('month', now()) + make_interval(months => step);
    part := base || '_' || to_char(month, 'YYYYMM');
    BEGIN
      EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        part, base, month, (month + interval '1 month')::date);
      EXECUTE format('REVOKE ALL ON %I FROM oms_tenant', part);
    EXCEPTION WHEN check_violation OR invalid_object_definition THEN
      problems := problems || format('%s: %s', part, SQLERRM);
    END;
  END LOOP;
  RETURN problems;
END $$;
--> statement-breakpoint
-- The default partition stores rows of months without a partition, for example rows with a wrong clock.
CREATE TABLE oper_logs_other PARTITION OF oper_logs DEFAULT;
--> statement-breakpoint
CREATE TABLE login_logs_other PARTITION OF login_logs DEFAULT;
--> statement-breakpoint
REVOKE ALL ON oper_logs_other, login_logs_other FROM oms_tenant;
--> statement-breakpoint
SELECT oms_ensure_partitions('oper_logs', 3), oms_ensure_partitions('login_logs', 3);
--> statement-breakpoint
SELECT oms_tenant_policy('oper_logs', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('login_logs', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == files, uploads, jobs ==
SELECT oms_tenant_policy('files', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('uploads', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('jobs', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == devices == Leaves free space in each page, so that frequent updates of a device can be HOT updates.
ALTER TABLE devices SET (fillfactor = 85);
--> statement-breakpoint
CREATE INDEX devices_sn_trgm ON devices USING gin (sn gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX devices_name_trgm ON devices USING gin (dev_name gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX devices_number ON devices USING btree (ver_code NULLS FIRST, id);
--> statement-breakpoint
CREATE INDEX devices_imei ON devices USING btree (imei) WHERE imei <> '';
--> statement-breakpoint
CREATE INDEX devices_disabled ON devices USING btree (id) WHERE status = 0 AND deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX devices_created ON devices USING btree (create_time, id);
--> statement-breakpoint
SELECT oms_tenant_policy('devices', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('device_attributes', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)');
--> statement-breakpoint
SELECT oms_tenant_policy('device_versions', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)');
--> statement-breakpoint
SELECT oms_tenant_policy('device_packages', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)');
--> statement-breakpoint
SELECT oms_tenant_policy('device_auto_confirms', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)');
--> statement-breakpoint
-- == device_models, device_access ==
CREATE TRIGGER device_models_notify AFTER INSERT OR UPDATE OR DELETE ON device_models
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
CREATE TRIGGER device_models_notify_name AFTER UPDATE OF model_name ON device_models
  FOR EACH ROW WHEN (OLD.model_name IS DISTINCT FROM NEW.model_name) EXECUTE FUNCTION oms_notify_name();
--> statement-breakpoint
CREATE TRIGGER device_access_notify AFTER INSERT OR UPDATE OR DELETE ON device_access
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
SELECT oms_tenant_policy('device_access', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == device_groups ==
CREATE TRIGGER device_groups_notify AFTER INSERT OR UPDATE OR DELETE ON device_groups
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
SELECT oms_tenant_policy('device_groups', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
CREATE TRIGGER device_group_members_notify_insert AFTER INSERT ON device_group_members REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_members('group_id');
--> statement-breakpoint
CREATE TRIGGER device_group_members_notify_delete AFTER DELETE ON device_group_members REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_members('group_id');
--> statement-breakpoint
SELECT oms_tenant_policy('device_group_members', 'EXISTS (SELECT FROM device_groups g WHERE g.id = group_id)');
--> statement-breakpoint
-- == fleet_samples, display_links ==
SELECT oms_tenant_policy('fleet_samples', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('display_links', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == ota_versions ==
CREATE INDEX ota_versions_name_trgm ON ota_versions USING gin (ver_name gin_trgm_ops);
--> statement-breakpoint
CREATE TRIGGER ota_versions_notify_insert AFTER INSERT ON ota_versions REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_releases();
--> statement-breakpoint
CREATE TRIGGER ota_versions_notify_update AFTER UPDATE ON ota_versions REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_releases();
--> statement-breakpoint
CREATE TRIGGER ota_versions_notify_delete AFTER DELETE ON ota_versions REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_releases();
--> statement-breakpoint
SELECT oms_tenant_policy('ota_versions', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == ota_policies, ota_stages ==
CREATE TRIGGER ota_policies_notify_insert AFTER INSERT ON ota_policies REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_releases();
--> statement-breakpoint
CREATE TRIGGER ota_policies_notify_update AFTER UPDATE ON ota_policies REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_releases();
--> statement-breakpoint
CREATE TRIGGER ota_policies_notify_delete AFTER DELETE ON ota_policies REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_releases();
--> statement-breakpoint
SELECT oms_tenant_policy('ota_policies', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('ota_stages', 'EXISTS (SELECT FROM ota_versions v WHERE v.ota_id = ota_stages.ota_id)');
--> statement-breakpoint
-- == ota_whites ==
CREATE TRIGGER ota_whites_notify_insert AFTER INSERT ON ota_whites REFERENCING NEW TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_members('ota_id');
--> statement-breakpoint
CREATE TRIGGER ota_whites_notify_delete AFTER DELETE ON ota_whites REFERENCING OLD TABLE AS touched
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_members('ota_id');
--> statement-breakpoint
SELECT oms_tenant_policy('ota_whites', 'EXISTS (SELECT FROM ota_versions v WHERE v.ota_id = ota_whites.ota_id)');
--> statement-breakpoint
-- == ota_tasks ==
CREATE TRIGGER ota_tasks_mark BEFORE UPDATE OF state, close_time, retried ON ota_tasks
  FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
CREATE TRIGGER ota_tasks_notify AFTER INSERT OR UPDATE OF state, close_time, retried ON ota_tasks
  FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
SELECT oms_tenant_policy('ota_tasks', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('ota_task_logs', 'EXISTS (SELECT FROM ota_tasks t WHERE t.task_id = ota_task_logs.task_id)');
--> statement-breakpoint
-- == ota_manifests, ota_alarms ==
SELECT oms_tenant_policy('ota_manifests', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('ota_alarms', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == licenses == The collation C lets the index serve searches for prefixes and ranges of UIDs.
ALTER TABLE licenses ALTER COLUMN uid TYPE varchar(64) COLLATE "C";
--> statement-breakpoint
ALTER TABLE licenses SET (fillfactor = 85);
--> statement-breakpoint
-- Appends the counts and flows of inserted licences. A statement appends one row for each combination, independent of
-- the number of licences.
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
-- Appends the differences of counts and flows of updated licences.
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
-- Subtracts deleted licences from the counts.
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
-- Moves the licence of a device that is transferred to another tenant.
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
SELECT oms_tenant_policy('licenses', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('license_grants', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('license_counts', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('license_flows', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('license_tenant_thresholds', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- A tenant sees a batch when it holds a licence of the batch.
SELECT oms_tenant_policy('license_batches', 'EXISTS (SELECT FROM licenses l WHERE l.batch_id = license_batches.id)');
--> statement-breakpoint
SELECT oms_tenant_policy('license_thresholds', 'false');
--> statement-breakpoint
-- == license_ledger, license_events ==
CREATE TRIGGER license_ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON license_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
SELECT oms_tenant_policy('license_ledger', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
CREATE TRIGGER license_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON license_events
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
SELECT oms_tenant_policy('license_events', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == tickets ==
ALTER TABLE tickets SET (fillfactor = 85);
--> statement-breakpoint
CREATE INDEX tickets_content_trgm ON tickets USING gin (content gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX tickets_sn_trgm ON tickets USING gin (sn gin_trgm_ops);
--> statement-breakpoint
-- Returns what one ticket adds to the statistics. `dim`: 1 created by problem type; 2 closed by problem type (total:
-- minutes); 3 first response (total: minutes); 4 reopened (total: times); 5 rated (total: stars); 6 overdue; 7 created by
-- weekday and hour; 8 created by firmware; 9 closed by handler (total: minutes); 11 to 13 hardware, software and structure
-- options; 14 reopened by handler; 15 rated by handler (total: stars). A ticket merged into another adds nothing.
CREATE FUNCTION oms_ticket_facts(t tickets) RETURNS TABLE (dim integer, day date, key text, n integer, total bigint)
LANGUAGE sql STABLE AS $$
  SELECT f.dim, f.day, f.key, f.n, f.total FROM (
    SELECT 1, t.create_time::date, t.problem_type::text, 1, 0::bigint
    UNION ALL SELECT 2, t.close_time::date, t.problem_type::text, 1,
      (extract(epoch FROM t.close_time - t.create_time) / 60)::bigint WHERE t.close_time IS NOT NULL
    UNION ALL SELECT 3, t.first_respond_time::date, '', 1,
      (extract(epoch FROM t.first_respond_time - t.create_time) / 60)::bigint WHERE t.first_respond_time IS NOT NULL
    UNION ALL SELECT 4, t.create_time::date, '', 1, t.reopen_count::bigint WHERE t.reopen_count > 0
    UNION ALL SELECT 5, t.create_time::date, '', 1, t.satisfaction::bigint WHERE t.satisfaction IS NOT NULL
    UNION ALL SELECT 6, t.create_time::date, '', 1, 0::bigint WHERE t.sla_breached
    UNION ALL SELECT 7, t.create_time::date,
      extract(isodow FROM t.create_time)::text || '-' || extract(hour FROM t.create_time)::text, 1, 0::bigint
    UNION ALL SELECT 8, t.create_time::date, coalesce(t.ver_code::text, ''), 1, 0::bigint WHERE t.model_id IS NOT NULL
    UNION ALL SELECT 9, t.close_time::date, t.last_handler_id::text, 1,
      (extract(epoch FROM t.close_time - t.create_time) / 60)::bigint
      WHERE t.close_time IS NOT NULL AND t.last_handler_id IS NOT NULL
    UNION ALL SELECT 11, t.create_time::date, o, 1, 0::bigint FROM jsonb_array_elements_text(t.problem_attr -> 'hardware') o
    UNION ALL SELECT 12, t.create_time::date, o, 1, 0::bigint FROM jsonb_array_elements_text(t.problem_attr -> 'software') o
    UNION ALL SELECT 13, t.create_time::date, o, 1, 0::bigint FROM jsonb_array_elements_text(t.problem_attr -> 'structure') o
    UNION ALL SELECT 14, t.create_time::date, t.last_handler_id::text, 1, t.reopen_count::bigint
      WHERE t.reopen_count > 0 AND t.last_handler_id IS NOT NULL
    UNION ALL SELECT 15, t.create_time::date, t.last_handler_id::text, 1, t.satisfaction::bigint
      WHERE t.satisfaction IS NOT NULL AND t.last_handler_id IS NOT NULL
  ) AS f (dim, day, key, n, total) WHERE t.merged_into_id IS NULL
$$;
--> statement-breakpoint
-- Appends the difference between the new and the old statistics. Updates of shared rows would block concurrent changes
-- of tickets.
CREATE FUNCTION oms_ticket_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO ticket_facts (dim, day, tenant_id, model_id, key, n, total)
    SELECT f.dim, f.day, OLD.tenant_id, coalesce(OLD.model_id, 0), f.key, -f.n, -f.total FROM oms_ticket_facts(OLD) f;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO ticket_facts (dim, day, tenant_id, model_id, key, n, total)
    SELECT f.dim, f.day, NEW.tenant_id, coalesce(NEW.model_id, 0), f.key, f.n, f.total FROM oms_ticket_facts(NEW) f;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tickets_count AFTER INSERT OR DELETE ON tickets FOR EACH ROW EXECUTE FUNCTION oms_ticket_count();
--> statement-breakpoint
CREATE TRIGGER tickets_recount AFTER UPDATE OF create_time, close_time, first_respond_time, problem_type, problem_attr,
  reopen_count, satisfaction, sla_breached, last_handler_id, merged_into_id, tenant_id, model_id, ver_code ON tickets
  FOR EACH ROW WHEN ((OLD.create_time, OLD.close_time, OLD.first_respond_time, OLD.problem_type, OLD.problem_attr,
    OLD.reopen_count, OLD.satisfaction, OLD.sla_breached, OLD.last_handler_id, OLD.merged_into_id, OLD.tenant_id,
    OLD.model_id, OLD.ver_code) IS DISTINCT FROM (NEW.create_time, NEW.close_time, NEW.first_respond_time,
    NEW.problem_type, NEW.problem_attr, NEW.reopen_count, NEW.satisfaction, NEW.sla_breached, NEW.last_handler_id,
    NEW.merged_into_id, NEW.tenant_id, NEW.model_id, NEW.ver_code)) EXECUTE FUNCTION oms_ticket_count();
--> statement-breakpoint
SELECT oms_tenant_policy('tickets', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_templates', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_facts', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('fleet_counts', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- == ticket_records, ticket_files, ticket_viewers == Unlogged, because the list of current viewers of a ticket may be
-- lost in a crash.
ALTER TABLE ticket_viewers SET UNLOGGED;
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_records', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)');
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_files', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)');
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_viewers', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)');
--> statement-breakpoint
CREATE INDEX oss_packages_name_trgm ON oss_packages USING gin (package_name gin_trgm_ops);
--> statement-breakpoint
-- Sold terms never change, because entitlements refer to them.
CREATE FUNCTION oms_sold_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'package version % is sold and cannot change', OLD.id;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_package_versions_sold BEFORE UPDATE OR DELETE ON oss_package_versions
  FOR EACH ROW WHEN (OLD.is_sold = 1) EXECUTE FUNCTION oms_sold_version();
--> statement-breakpoint
-- Packages belong to the platform. A tenant reads those that are offered to all tenants or to the tenant itself.
ALTER TABLE oss_package_versions ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON oss_package_versions FOR SELECT TO oms_tenant
  USING (tenant_ids = '{}' OR (SELECT current_setting('oms.tenant')::integer) = ANY (tenant_ids));
--> statement-breakpoint
ALTER TABLE oss_packages ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON oss_packages FOR SELECT TO oms_tenant USING (EXISTS (SELECT FROM oss_package_versions v
  WHERE v.package_id = oss_packages.id AND v.version = oss_packages.current_version));
--> statement-breakpoint
CREATE SEQUENCE oss_entitlement_no;
--> statement-breakpoint
GRANT USAGE, SELECT ON SEQUENCE oss_entitlement_no TO oms_tenant;
--> statement-breakpoint
ALTER TABLE oss_entitlements SET (fillfactor = 85);
--> statement-breakpoint
CREATE INDEX oss_entitlements_sn_trgm ON oss_entitlements USING gin (sn gin_trgm_ops);
--> statement-breakpoint
-- Counts entitlements by tenant, package, recording type, source and state.
CREATE FUNCTION oms_entitlement_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, n)
  SELECT tenant_id, package_id, record_type, source, state, count(*)
  FROM new_rows GROUP BY 1, 2, 3, 4, 5;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_entitlement_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, n)
  SELECT tenant_id, package_id, record_type, source, state, sum(n)
  FROM (SELECT o.*, -1 AS n FROM old_rows o UNION ALL SELECT r.*, 1 FROM new_rows r) AS x
  GROUP BY 1, 2, 3, 4, 5 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_entitlement_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, n)
  SELECT tenant_id, package_id, record_type, source, state, -count(*)
  FROM old_rows GROUP BY 1, 2, 3, 4, 5;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_entitlements_inserted AFTER INSERT ON oss_entitlements REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_entitlement_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_entitlements_updated AFTER UPDATE ON oss_entitlements
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_entitlement_updated();
--> statement-breakpoint
CREATE TRIGGER oss_entitlements_deleted AFTER DELETE ON oss_entitlements REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_entitlement_deleted();
--> statement-breakpoint
-- Counts only the ends of queues in force. A queue that a cancellation has emptied does not count.
CREATE FUNCTION oms_queue_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, count(*) FROM new_rows WHERE end_time IS NOT NULL AND next_time IS NOT NULL GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_queue_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, sum(n)
  FROM (SELECT o.*, -1 AS n FROM old_rows o UNION ALL SELECT r.*, 1 FROM new_rows r) AS x
  WHERE end_time IS NOT NULL AND next_time IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_queue_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, -count(*) FROM old_rows WHERE end_time IS NOT NULL AND next_time IS NOT NULL GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_queues_inserted AFTER INSERT ON oss_queues REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_queue_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_queues_updated AFTER UPDATE ON oss_queues REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_queue_updated();
--> statement-breakpoint
CREATE TRIGGER oss_queues_deleted AFTER DELETE ON oss_queues REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_queue_deleted();
--> statement-breakpoint
-- Appends the flows of new ledger entries. A use after which the balance is zero counts as an expiry.
CREATE FUNCTION oms_ledger_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_flows (day, tenant_id, package_id, source, kind, n, amount)
  SELECT at_time::date, tenant_id, package_id, source, f.kind, count(*), sum(l.amount)
  FROM new_rows l, LATERAL (SELECT CASE WHEN l.kind = 1 THEN 1 + l.is_renewal
    WHEN l.kind = 2 AND l.balance = 0 THEN 3 WHEN l.kind = 4 THEN 4 WHEN l.kind = 3 THEN 5 END) AS f (kind)
  WHERE f.kind IS NOT NULL GROUP BY 1, 2, 3, 4, 5;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_ledger_inserted AFTER INSERT ON oss_ledger REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_ledger_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE TRIGGER oss_spans_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_spans
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
-- Moves the entitlements of a device that is transferred to another tenant. Past spans and ledger entries keep their
-- tenant.
CREATE FUNCTION oms_entitlement_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE oss_queues SET tenant_id = NEW.tenant_id WHERE device_id = NEW.id;
  UPDATE oss_entitlements SET tenant_id = NEW.tenant_id WHERE device_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_entitlements AFTER UPDATE OF tenant_id ON devices FOR EACH ROW
  WHEN (OLD.tenant_id IS DISTINCT FROM NEW.tenant_id) EXECUTE FUNCTION oms_entitlement_follows();
--> statement-breakpoint
SELECT oms_tenant_policy('oss_entitlements', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_queues', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_spans', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_ledger', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_counts', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_flows', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_ends', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
CREATE TRIGGER oss_allowance_ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_allowance_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
-- Staff of a tenant opens packages of the platform. Row-level security lets a tenant read these rows, but neither lock nor
-- change them, so the functions run with the rights of the owner.
CREATE FUNCTION oms_share_package(package integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM FROM oss_packages WHERE id = package FOR SHARE;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_mark_versions_sold(versions integer[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE oss_package_versions SET is_sold = 1 WHERE id = ANY (versions) AND is_sold = 0;
END $$;
--> statement-breakpoint
-- Returns the serial numbers that have received a trial in any tenant.
CREATE FUNCTION oms_serials_with_trial(serials text[]) RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT sn::text FROM oss_entitlements WHERE source = 4 AND sn = ANY (serials)
$$;
--> statement-breakpoint
-- Stores recordings of days without a partition. The writer creates the partition of a day before its first row.
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
SELECT oms_ensure_partitions('oss_device_days', 3);
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
-- Subtracts segments that are deleted or marked as missing from what is stored, and adds them to the removed videos of
-- their day and entitlement. Segments are updated only to mark them as missing.
CREATE FUNCTION oms_segment_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
  SELECT expire_day, tenant_id, model_id, record_type, -count(*), -sum(bytes) FROM old_rows WHERE status <> 2
  GROUP BY 1, 2, 3, 4;
  UPDATE oss_device_days o SET removed_segments = o.removed_segments + x.segments, removed_ms = o.removed_ms + x.ms,
    removed_bytes = o.removed_bytes + x.bytes
  FROM (SELECT device_id, channel, day, tenant_id, owner_id, entitlement_id, count(*) AS segments,
      sum(duration_ms) AS ms, sum(bytes) AS bytes FROM old_rows WHERE status <> 2 GROUP BY 1, 2, 3, 4, 5, 6) x
  WHERE o.device_id = x.device_id AND o.channel = x.channel AND o.day = x.day
    AND o.tenant_id = x.tenant_id AND o.owner_id = x.owner_id AND o.entitlement_id = x.entitlement_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_segments_inserted AFTER INSERT ON oss_segments REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_segment_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_segments_deleted AFTER DELETE ON oss_segments REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_segment_deleted();
--> statement-breakpoint
CREATE TRIGGER oss_segments_missing AFTER UPDATE ON oss_segments REFERENCING OLD TABLE AS old_rows
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
-- A change of the App account, of the tenant, or a deletion of a device ends the use of its videos. The videos are
-- deleted early, and OMS no longer accepts recordings from before the change.
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
CREATE TRIGGER devices_mark BEFORE UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash,
  attributes_wanted, deleted_at, app_account_id ON devices FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
CREATE TRIGGER devices_notify AFTER INSERT OR UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash,
  attributes_wanted, deleted_at, app_account_id ON devices FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
CREATE TRIGGER oss_queues_mark BEFORE UPDATE OF tenant_id, suspended, end_time, next_time, last_package_id, switched_off
  ON oss_queues FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
CREATE TRIGGER oss_queues_notify AFTER INSERT OR UPDATE OF tenant_id, suspended, end_time, next_time, last_package_id,
  switched_off ON oss_queues FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
--> statement-breakpoint
CREATE SEQUENCE oss_order_no;
--> statement-breakpoint
CREATE SEQUENCE oss_refund_no;
--> statement-breakpoint
GRANT USAGE, SELECT ON SEQUENCE oss_order_no, oss_refund_no TO oms_tenant;
--> statement-breakpoint
CREATE INDEX oss_orders_out_trgm ON oss_orders USING gin (out_order_no gin_trgm_ops);
--> statement-breakpoint
CREATE SEQUENCE oss_card_batch_no;
--> statement-breakpoint
GRANT USAGE, SELECT ON SEQUENCE oss_card_batch_no TO oms_tenant;
--> statement-breakpoint
-- A consent changes only by its withdrawal.
CREATE FUNCTION oms_consent_unchanged() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.withdraw_time IS NOT NULL OR NEW.withdraw_time IS NULL
    OR (to_jsonb(NEW) - 'withdraw_time') <> (to_jsonb(OLD) - 'withdraw_time') THEN
    RAISE EXCEPTION 'a consent cannot be changed';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_consents_unchanged BEFORE UPDATE ON oss_consents FOR EACH ROW EXECUTE FUNCTION oms_consent_unchanged();
--> statement-breakpoint
CREATE TRIGGER oss_consents_kept BEFORE DELETE OR TRUNCATE ON oss_consents
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE TRIGGER oss_views_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_views
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE INDEX oss_consents_sn_trgm ON oss_consents USING gin (sn gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX oss_views_sn_trgm ON oss_views USING gin (sn gin_trgm_ops);
--> statement-breakpoint
-- Stores plays of days without a partition.
CREATE TABLE ad_plays_other PARTITION OF ad_plays DEFAULT;
--> statement-breakpoint
-- Policies of the parent do not hold when a partition is named directly, so tenants have no rights on partitions.
REVOKE ALL ON ad_plays_other FROM oms_tenant;
--> statement-breakpoint
-- Creates the partitions of `ad_plays` for these UTC days.
CREATE FUNCTION oms_ensure_play_days(days date[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one date;
  part text;
BEGIN
  FOREACH one IN ARRAY days LOOP
    part := 'ad_plays_' || to_char(one, 'YYYYMMDD');
    IF to_regclass(part) IS NULL THEN
      PERFORM pg_advisory_xact_lock(7302519, 5);
      EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF ad_plays FOR VALUES FROM (%L) TO (%L)', part, one, one + 1);
      EXECUTE format('REVOKE ALL ON %I FROM oms_tenant', part);
    END IF;
  END LOOP;
END $$;
--> statement-breakpoint
-- Keeps the names of ads and programs for the statistics, after their deletion too.
CREATE FUNCTION oms_ad_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO ad_names (kind, id, name, deleted)
  VALUES (1, NEW.id, NEW.ad_name, (NEW.deleted_at IS NOT NULL)::int)
  ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, deleted = excluded.deleted;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ads_name AFTER INSERT OR UPDATE OF ad_name, deleted_at ON ads FOR EACH ROW EXECUTE FUNCTION oms_ad_name();
--> statement-breakpoint
CREATE FUNCTION oms_ad_program_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO ad_names (kind, id, name, deleted)
  VALUES (2, NEW.id, NEW.program_name, (NEW.deleted_at IS NOT NULL)::int)
  ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, deleted = excluded.deleted;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ad_programs_name AFTER INSERT OR UPDATE OF program_name, deleted_at ON ad_programs
  FOR EACH ROW EXECUTE FUNCTION oms_ad_program_name();
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
--> statement-breakpoint
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
-- Stores a batch of plays without a join over all kept plays. Only devices with a stored play near their reported plays are
-- checked play by play for overlaps.
CREATE FUNCTION oms_store_plays(
  p_day date[], p_device int[], p_report uuid[], p_start bigint[], p_ms int[], p_planned int[], p_tenant int[],
  p_model int[], p_program int[], p_ver int[], p_item int[], p_ad int[], p_ad_ver int[], p_material int[],
  p_result smallint[], p_clock smallint[], p_count int[], p_hour bigint[], p_zone_day date[], p_may_overlap boolean[],
  p_today date, r_device int[], r_tenant int[], r_reason text[], r_n int[]
) RETURNS smallint[] LANGUAGE plpgsql AS $$
DECLARE
  outcomes smallint[];
BEGIN
  PERFORM pg_advisory_xact_lock(7302519, 100 + bucket)
  FROM (SELECT DISTINCT d & 63 AS bucket FROM unnest(p_device || r_device) d ORDER BY 1) buckets;
  WITH x AS MATERIALIZED (
    SELECT * FROM unnest(p_day, p_device, p_report, p_start, p_ms, p_planned, p_tenant, p_model, p_program, p_ver, p_item,
      p_ad, p_ad_ver, p_material, p_result, p_clock, p_count, p_hour, p_zone_day, p_may_overlap) WITH ORDINALITY
      AS x (play_day, device_id, report_id, start_ms, ms, planned, tenant_id, model_id, program_id, program_ver, item_id,
        ad_id, ad_ver, material_id, result, clock, count, hour, zone_day, may_overlap, ord)
  ), spans AS MATERIALIZED (
    SELECT device_id, min(play_day) - 1 AS first_day, max(play_day) + 1 AS last_day, min(start_ms) AS lo,
      max(start_ms + ms) AS hi
    FROM x WHERE clock > 0 GROUP BY device_id
  ), near AS MATERIALIZED (
    -- Stored plays that start between the reported plays. A join with x would read all kept plays.
    SELECT s.device_id, p.play_day, p.report_id FROM spans s CROSS JOIN LATERAL (
      SELECT p.play_day, p.report_id FROM ad_plays p
      WHERE p.device_id = s.device_id AND p.play_day BETWEEN s.first_day AND s.last_day
        AND p.start_ms >= s.lo AND p.start_ms < s.hi
      ORDER BY p.start_ms LIMIT 1000) p
  ), known AS MATERIALIZED (
    SELECT x.ord FROM x JOIN near USING (play_day, device_id, report_id)
    UNION
    -- Plays without a trusted clock have the day of their first arrival.
    SELECT x.ord FROM x CROSS JOIN LATERAL (SELECT FROM ad_plays p
      WHERE p.device_id = x.device_id AND p.start_ms = x.start_ms AND p.report_id = x.report_id LIMIT 1) p
    WHERE x.clock = 0
  ), suspects AS MATERIALIZED (
    -- Devices with a stored play that is not reported again and may overlap a reported play.
    SELECT near.device_id FROM near LEFT JOIN x USING (play_day, device_id, report_id) WHERE x.ord IS NULL
    UNION
    SELECT device_id FROM near GROUP BY device_id HAVING count(*) = 1000
    UNION
    SELECT s.device_id FROM spans s CROSS JOIN LATERAL (
      SELECT p.start_ms + p.ms AS until FROM ad_plays p
      WHERE p.device_id = s.device_id AND p.play_day BETWEEN s.first_day AND s.last_day
        AND p.start_ms < s.lo AND p.start_ms > s.lo - 3660000
      ORDER BY p.start_ms DESC LIMIT 8) p
    WHERE p.until > s.lo + 2000
  ), checked AS MATERIALIZED (
    SELECT ord, play_day, device_id, report_id, start_ms, ms FROM x
    WHERE NOT may_overlap AND ms > 2000 AND device_id IN (SELECT device_id FROM suspects)
      AND ord NOT IN (SELECT ord FROM known)
  ), clash AS MATERIALIZED (
    SELECT x.ord FROM checked x WHERE EXISTS (
      SELECT FROM (
        (SELECT p.start_ms, p.ms, p.clock, p.count, p.program_id, p.program_ver FROM ad_plays p
          WHERE p.device_id = x.device_id AND p.play_day BETWEEN x.play_day - 1 AND x.play_day
            AND p.start_ms <= x.start_ms AND p.start_ms > x.start_ms - 3660000 AND p.report_id <> x.report_id
          ORDER BY p.start_ms DESC LIMIT 8)
        UNION ALL
        SELECT p.start_ms, p.ms, p.clock, p.count, p.program_id, p.program_ver FROM ad_plays p
          WHERE p.device_id = x.device_id AND p.play_day BETWEEN x.play_day AND x.play_day + 1
            AND p.start_ms > x.start_ms AND p.start_ms < x.start_ms + x.ms - 2000 AND p.report_id <> x.report_id
      ) p
      WHERE p.clock > 0 AND p.count = 1
        AND least(p.start_ms + p.ms, x.start_ms + x.ms) - greatest(p.start_ms, x.start_ms) > 2000
        AND NOT EXISTS (SELECT FROM ad_program_versions v WHERE v.program_id = p.program_id AND v.ver_no = p.program_ver
          AND (v.body->>'insertMode')::int > 0)
    )
  ), added AS (
    INSERT INTO ad_plays (play_day, device_id, report_id, start_ms, ms, planned, tenant_id, model_id, program_id,
      program_ver, item_id, ad_id, ad_ver, material_id, result, clock, count)
    SELECT play_day, device_id, report_id, start_ms, ms, planned, tenant_id, model_id, program_id, program_ver, item_id,
      ad_id, ad_ver, material_id, result, clock, count
    FROM x WHERE ord NOT IN (SELECT ord FROM known) AND ord NOT IN (SELECT ord FROM clash)
    ORDER BY play_day, device_id, report_id
    ON CONFLICT DO NOTHING
    RETURNING play_day, device_id, report_id
  ), stored AS MATERIALIZED (
    SELECT x.* FROM x JOIN added USING (play_day, device_id, report_id)
  ), fresh AS (
    INSERT INTO ad_play_fresh (hour, day, device_id, tenant_id, program_id, ad_id, model_id, plays, complete, partial,
      failed, ms, untrusted, first_start, last_end)
    SELECT hour, zone_day, device_id, tenant_id, program_id, ad_id, model_id,
      coalesce(sum(count) FILTER (WHERE clock > 0 AND result <= 2), 0),
      coalesce(sum(count) FILTER (WHERE clock > 0 AND result = 1), 0),
      coalesce(sum(count) FILTER (WHERE clock > 0 AND result = 2), 0),
      coalesce(sum(count) FILTER (WHERE clock > 0 AND result = 3), 0),
      coalesce(sum(ms) FILTER (WHERE clock > 0 AND result <= 2), 0),
      coalesce(sum(count) FILTER (WHERE clock = 0 AND result <= 2), 0),
      min(CASE WHEN clock > 0 THEN start_ms ELSE hour END), max(CASE WHEN clock > 0 THEN start_ms + ms ELSE hour END)
    FROM stored GROUP BY hour, zone_day, device_id, tenant_id, program_id, ad_id, model_id
  ), result AS MATERIALIZED (
    SELECT x.ord, x.device_id, x.tenant_id,
      CASE WHEN stored.ord IS NOT NULL THEN 1 WHEN clash.ord IS NOT NULL THEN 2 ELSE 0 END AS outcome
    FROM x LEFT JOIN stored USING (ord) LEFT JOIN clash USING (ord)
  ), rejects AS (
    INSERT INTO ad_rejects AS r (day, device_id, reason, tenant_id, n)
    SELECT p_today, device_id, reason, min(tenant_id), sum(n) FROM (
      SELECT device_id, tenant_id, reason, n
        FROM unnest(r_device, r_tenant, r_reason, r_n) AS u (device_id, tenant_id, reason, n)
      UNION ALL
      SELECT device_id, tenant_id, 'overlap', 1 FROM result WHERE outcome = 2
    ) every GROUP BY device_id, reason ORDER BY device_id, reason
    ON CONFLICT (day, device_id, reason) DO UPDATE SET n = r.n + excluded.n
  )
  SELECT array_agg(outcome::smallint ORDER BY ord) INTO outcomes FROM result;
  RETURN outcomes;
END $$;
--> statement-breakpoint
-- Notifies every process when a row has changed on which manifests depend. The arguments are the kind of id (lists or
-- devices) and the column of the id.
CREATE FUNCTION oms_notify_ad() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('oms', json_build_object('topic', 'fleet', 'table', TG_TABLE_NAME,
    TG_ARGV[0], json_build_array((to_jsonb(coalesce(NEW, OLD))->>TG_ARGV[1])::int))::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ads_notify AFTER UPDATE OF approved_ver, enable_stat, deleted_at ON ads FOR EACH ROW
  WHEN (OLD.approved_ver <> NEW.approved_ver OR OLD.enable_stat <> NEW.enable_stat OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION oms_notify_ad('lists', 'id');
--> statement-breakpoint
CREATE TRIGGER ad_programs_published AFTER INSERT ON ad_programs FOR EACH ROW WHEN (NEW.published_ver > 0)
  EXECUTE FUNCTION oms_notify_ad('lists', 'id');
--> statement-breakpoint
CREATE TRIGGER ad_programs_notify AFTER UPDATE OF published_ver, status, deleted_at ON ad_programs FOR EACH ROW
  WHEN (OLD.published_ver <> NEW.published_ver OR OLD.status <> NEW.status OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION oms_notify_ad('lists', 'id');
--> statement-breakpoint
CREATE TRIGGER ad_screens_added AFTER INSERT OR DELETE ON ad_screens FOR EACH ROW
  EXECUTE FUNCTION oms_notify_ad('devices', 'device_id');
--> statement-breakpoint
-- Moves or deletes a screen together with its device. A change of the tenant deletes the reports about content of the
-- former tenant. It also removes the address of the SMIL player, because people of the former tenant know this
-- address.
CREATE FUNCTION oms_screen_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
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
CREATE TRIGGER devices_screen AFTER UPDATE OF tenant_id, deleted_at ON devices FOR EACH ROW
  WHEN (OLD.tenant_id <> NEW.tenant_id OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION oms_screen_follows();
--> statement-breakpoint
CREATE INDEX agents_name_trgm ON agents USING gin (agent_name gin_trgm_ops);
--> statement-breakpoint
-- Leaves free space in each page, because devices update their rows at each boot and session.
ALTER TABLE agent_devices SET (fillfactor = 85);
--> statement-breakpoint
-- Providers belong to the platform; tenants read them.
ALTER TABLE agent_providers ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON agent_providers FOR SELECT TO oms_tenant USING (true);
--> statement-breakpoint
-- Stores turns of months without a partition, when the clock of the voice server is wrong.
CREATE TABLE agent_turns_other PARTITION OF agent_turns DEFAULT;
--> statement-breakpoint
REVOKE ALL ON agent_turns_other FROM oms_tenant;
--> statement-breakpoint
SELECT oms_ensure_partitions('agent_turns', 3);
--> statement-breakpoint
-- Refuses a board that is already assigned to another model.
CREATE FUNCTION oms_model_boards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7302519, 6);
  IF EXISTS (SELECT FROM device_models m WHERE m.id <> NEW.id AND m.deleted_at IS NULL AND m.boards && NEW.boards) THEN
    RAISE EXCEPTION 'a board belongs to another model' USING ERRCODE = 'unique_violation', CONSTRAINT = 'device_models_board';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER device_models_boards BEFORE INSERT OR UPDATE OF boards, deleted_at ON device_models
  FOR EACH ROW WHEN (NEW.deleted_at IS NULL AND cardinality(NEW.boards) > 0) EXECUTE FUNCTION oms_model_boards();
--> statement-breakpoint
CREATE INDEX agent_products_name_trgm ON agent_products USING gin (package_name gin_trgm_ops);
--> statement-breakpoint
-- Sold terms never change, because orders and grants refer to them.
CREATE TRIGGER agent_product_versions_sold BEFORE UPDATE OR DELETE ON agent_product_versions
  FOR EACH ROW WHEN (OLD.is_sold = 1) EXECUTE FUNCTION oms_sold_version();
--> statement-breakpoint
-- Packages belong to the platform. A tenant reads those that are offered to all tenants or to the tenant itself.
ALTER TABLE agent_product_versions ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON agent_product_versions FOR SELECT TO oms_tenant
  USING (tenant_ids = '{}' OR (SELECT current_setting('oms.tenant')::integer) = ANY (tenant_ids));
--> statement-breakpoint
ALTER TABLE agent_products ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON agent_products FOR SELECT TO oms_tenant USING (EXISTS (SELECT FROM agent_product_versions v
  WHERE v.package_id = agent_products.id AND v.version = agent_products.current_version));
--> statement-breakpoint
CREATE SEQUENCE agent_order_no;
--> statement-breakpoint
CREATE INDEX agent_order_targets_name_trgm ON agent_order_targets USING gin (name gin_trgm_ops);
--> statement-breakpoint
-- Refuses changes of ledger lines, except an increase of the line of a day's use.
CREATE FUNCTION oms_agent_ledger_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.kind <> 2 OR NEW.amount < OLD.amount
    OR to_jsonb(NEW) - 'amount' IS DISTINCT FROM to_jsonb(OLD) - 'amount' THEN
    RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER agent_ledger_grows BEFORE UPDATE ON agent_ledger
  FOR EACH ROW EXECUTE FUNCTION oms_agent_ledger_grows();
--> statement-breakpoint
CREATE TRIGGER agent_ledger_append_only BEFORE DELETE OR TRUNCATE ON agent_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE TRIGGER agent_trials_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON agent_trials
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
-- Marks versions of voice packages as sold. Tenants may not write packages otherwise.
CREATE FUNCTION oms_mark_agent_versions_sold(versions integer[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE agent_product_versions SET is_sold = 1 WHERE id = ANY (versions) AND is_sold = 0;
END $$;
--> statement-breakpoint
-- Returns the devices that have received a trial in any tenant, by serial number or MAC.
CREATE FUNCTION oms_devices_with_agent_trial(device_ids integer[]) RETURNS SETOF integer LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT d.id FROM devices d WHERE d.id = ANY (device_ids)
    AND EXISTS (SELECT FROM agent_trials t WHERE t.sn = d.sn OR (t.mac = d.mac AND d.mac <> ''))
$$;
--> statement-breakpoint
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
CREATE INDEX tickets_no_trgm ON tickets USING gin (feedback_no gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX agent_orders_no_trgm ON agent_orders USING gin (order_no gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX oss_orders_no_trgm ON oss_orders USING gin (order_no gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX oss_refunds_no_trgm ON oss_refunds USING gin (refund_no gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX oss_refunds_out_trgm ON oss_refunds USING gin (out_refund_no gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX license_grants_no_trgm ON license_grants USING gin (grant_no gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX tenants_no_trgm ON tenants USING gin (tenant_no gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX app_accounts_mobile_trgm ON app_accounts USING gin (mobile_no gin_trgm_ops);
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
-- One statement can create many screens when the players of a fleet request their first manifests.
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
-- Notifies processes of a changed screen size, because the SMIL index depends on the size. Other players choose their
-- files themselves.
CREATE TRIGGER ad_screens_notify AFTER UPDATE OF player_token_hash, smil_key_hash, time_zone, volume, width, height ON ad_screens
  FOR EACH ROW WHEN (OLD.player_token_hash <> NEW.player_token_hash OR OLD.smil_key_hash <> NEW.smil_key_hash
    OR OLD.time_zone <> NEW.time_zone OR OLD.volume <> NEW.volume
    OR (NEW.smil_key_hash <> '' AND (OLD.width <> NEW.width OR OLD.height <> NEW.height)))
  EXECUTE FUNCTION oms_notify_ad('devices', 'device_id');
