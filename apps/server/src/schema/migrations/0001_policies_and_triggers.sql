-- Everything the generated tables lack: roles, policies, triggers, partitions and indexes drizzle cannot describe.
-- One section a table.

-- == Role of tenant requests ==
-- A request of a tenant's account runs as role `oms_tenant`. Row-level security shows the role only the rows of the tenant in
-- the setting `oms.tenant`. The owner of the tables (platform staff, jobs, devices) is not restricted.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'oms_tenant') THEN
    CREATE ROLE oms_tenant NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
--> statement-breakpoint
DO $$ BEGIN
  IF NOT pg_has_role(current_user, 'oms_tenant', 'MEMBER') THEN
    EXECUTE format('GRANT oms_tenant TO %I', current_user);
  END IF;
END $$;
--> statement-breakpoint
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

-- == Shared trigger functions ==
-- Stores the id of the writing transaction in `changed`: processes read only the rows written since their last read.
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
-- Notifies every process which lists (argument: their column) and which devices a statement changed. Above 300 lists or
-- 300 devices the notification omits them, and processes read the table again.
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
-- Notifies every process which versions a statement changed; above 300 versions the notification omits them.
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
-- Notifies every process that a name changed that lists show in place of an id.
CREATE FUNCTION oms_notify_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('oms', json_build_object('topic', 'names', 'table', TG_TABLE_NAME)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Refuses every change of a row that exists.
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
-- Devices name their tenant in the address they call, and a disabled tenant's devices are refused.
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
-- Creates the monthly partitions of a log table: from last month to `ahead` months after this month.
CREATE FUNCTION oms_ensure_partitions(base text, ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first date := date_trunc('month', now())::date;
  month date;
BEGIN
  FOR step IN -1..ahead LOOP
    month := first + make_interval(months => step);
    EXECUTE format(
      'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
      base || '_' || to_char(month, 'YYYYMM'), base, month, (month + interval '1 month')::date);
  END LOOP;
END $$;
--> statement-breakpoint
-- Rows of months without a partition (a clock that is far off) are kept in the default partition.
CREATE TABLE oper_logs_other PARTITION OF oper_logs DEFAULT;
--> statement-breakpoint
CREATE TABLE login_logs_other PARTITION OF login_logs DEFAULT;
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

-- == devices ==
-- Frequent updates of a device fit in its page.
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
-- Returns the keys of a serial: every four neighbouring characters, prefixed by the bucket of 2^20 ids the device is in. A
-- search reads the newest bucket with enough hits instead of every device with the part.
CREATE FUNCTION oms_serial_keys(serial text, bucket integer) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  low text := lower(serial);
  prefix text := lpad(to_hex(bucket), 3, '0');
  keys text[] := '{}';
BEGIN
  FOR i IN 1..length(low) - 3 LOOP
    keys[i] := prefix || substr(low, i, 4);
  END LOOP;
  RETURN keys;
END $$;
--> statement-breakpoint
-- A new device writes to the newest keys, so the index needs no list of pending entries.
CREATE INDEX devices_sn_keys ON devices USING gin (oms_serial_keys(sn, id >> 20)) WITH (fastupdate = off);
--> statement-breakpoint
-- Returns ids of devices whose serial contains a part of at least four characters, from the newest bucket to the oldest,
-- until there are `wanted` ids. Below `more_below` there may be more; `estimate` is the estimated total. The function runs as
-- the owner, because row-level security prevents the use of an index on a function result, and checks the tenant itself.
CREATE FUNCTION oms_serial_hits(part text, wanted integer, OUT ids integer[], OUT more_below bigint, OUT estimate bigint)
  LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER
  SET search_path = public, pg_temp SET effective_io_concurrency = 0 SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off AS $$
DECLARE
  low text := lower(part);
  is_key boolean := length(part) = 4;
  -- The first and the last key cover eight characters. The end of a serial is more selective than its beginning.
  head text := left(right(low, 8), 4);
  tail text := right(low, 4);
  tenant integer := nullif(current_setting('oms.tenant', true), '');
  most integer := least(greatest(wanted * 20, 2000), 10001);
  newest bigint := coalesce((SELECT max(id) FROM devices), -1);
  buckets integer := (newest >> 20)::integer + 1;
  done integer := 0;
  batch integer := 1;
  counted bigint := 0;
  seen record;
BEGIN
  ids := '{}';
  WHILE done < buckets LOOP
    FOR seen IN
      SELECT b.bucket, d.hits, d.last, d.ids
      FROM (SELECT n AS bucket, lpad(to_hex(n), 3, '0') AS prefix
            FROM generate_series(buckets - done - 1, greatest(buckets - done - batch, 0), -1) n) b,
        LATERAL (
          SELECT count(*) AS hits, max(f.id) AS last, array_agg(f.id) FILTER (WHERE tenant IS NULL OR f.tenant_id = tenant) AS ids
          FROM (
            SELECT h.id, h.tenant_id FROM devices h
            WHERE oms_serial_keys(h.sn, h.id >> 20) @> ARRAY[b.prefix || head, b.prefix || tail]
              AND h.deleted_at IS NULL AND (is_key OR strpos(lower(h.sn), low) > 0)
            LIMIT most
          ) f
        ) d
      ORDER BY b.bucket DESC
    LOOP
      counted := counted + seen.hits;
      IF seen.hits = most THEN
        more_below := (seen.bucket + 1)::bigint << 20;
        -- Rows are stored roughly in the order of their ids, so the rows read of this bucket start at its lowest id.
        estimate := counted * (newest + 1) / (greatest(newest + 1 - more_below, 0) + 1 + seen.last - (seen.bucket::bigint << 20));
        RETURN;
      END IF;
      ids := ids || seen.ids;
      IF counted >= wanted AND seen.bucket > 0 THEN
        more_below := seen.bucket::bigint << 20;
        estimate := counted * (newest + 1) / (newest + 1 - more_below);
        RETURN;
      END IF;
    END LOOP;
    done := done + batch;
    -- Limits the next batch: a part that is rare among the newest devices may be frequent among older ones.
    batch := least(ceil((wanted - counted) * done::numeric / greatest(counted, 1)), 4 * done);
  END LOOP;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_mark BEFORE UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash,
  attributes_wanted, deleted_at ON devices FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
CREATE TRIGGER devices_notify AFTER INSERT OR UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash,
  attributes_wanted, deleted_at ON devices FOR EACH STATEMENT EXECUTE FUNCTION oms_notify_changed();
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

-- == licenses ==
-- Byte order makes prefixes and ranges of UIDs ranges of the index.
ALTER TABLE licenses ALTER COLUMN uid TYPE varchar(64) COLLATE "C";
--> statement-breakpoint
ALTER TABLE licenses SET (fillfactor = 85);
--> statement-breakpoint
-- Appends the counts and flows of inserted licences: one row for each combination, however many licences a statement inserts.
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
-- Appends the difference a change makes. Updating shared rows instead would make concurrent changes of tickets wait.
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
SELECT oms_tenant_policy('ticket_fleet', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint

-- == ticket_records, ticket_files, ticket_viewers ==
-- Who looks at a ticket right now may be lost in a crash.
ALTER TABLE ticket_viewers SET UNLOGGED;
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_records', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)');
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_files', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)');
--> statement-breakpoint
SELECT oms_tenant_policy('ticket_viewers', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)');
