CREATE INDEX devices_sn_trgm ON devices USING gin (sn gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX devices_name_trgm ON devices USING gin (dev_name gin_trgm_ops);
--> statement-breakpoint
ALTER TABLE devices SET (fillfactor = 85);
--> statement-breakpoint
-- Every process keeps what the device side needs of these tables in memory. A row says which transaction last wrote
-- what matters there; a statement says once that something changed.
CREATE FUNCTION oms_mark_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed := pg_current_xact_id();
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_tell_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('oms', json_build_object('topic', 'fleet', 'table', TG_TABLE_NAME)::text);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_mark BEFORE UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash, attributes_wanted, deleted_at
  ON devices FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
CREATE TRIGGER devices_tell AFTER INSERT OR UPDATE OF sn, tenant_id, model_id, ver_code, status, token_hash, attributes_wanted, deleted_at
  ON devices FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER ota_tasks_mark BEFORE UPDATE OF state, close_time, retried ON ota_tasks FOR EACH ROW EXECUTE FUNCTION oms_mark_changed();
--> statement-breakpoint
CREATE TRIGGER ota_tasks_tell AFTER INSERT OR UPDATE OF state, close_time, retried ON ota_tasks
  FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER ota_versions_tell AFTER INSERT OR UPDATE OR DELETE ON ota_versions FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER ota_policies_tell AFTER INSERT OR UPDATE OR DELETE ON ota_policies FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER ota_whites_tell AFTER INSERT OR UPDATE OR DELETE ON ota_whites FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER device_groups_tell AFTER INSERT OR UPDATE OR DELETE ON device_groups FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER device_group_members_tell AFTER INSERT OR UPDATE OR DELETE ON device_group_members FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER device_access_tell AFTER INSERT OR UPDATE OR DELETE ON device_access FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
CREATE TRIGGER device_models_tell AFTER INSERT OR UPDATE OR DELETE ON device_models FOR EACH STATEMENT EXECUTE FUNCTION oms_tell_changed();
--> statement-breakpoint
SELECT oms_wall(t, 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)')
FROM unnest(ARRAY['devices', 'device_groups', 'device_access', 'ota_policies', 'ota_tasks', 'ota_manifests', 'ota_alarms']) AS t;
--> statement-breakpoint
-- Rows of these belong to whom their device, group, version or task belongs; the walls of those tables decide.
SELECT oms_wall('device_attributes', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)'),
  oms_wall('device_versions', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)'),
  oms_wall('device_packages', 'EXISTS (SELECT FROM devices d WHERE d.id = device_id)'),
  oms_wall('device_group_members', 'EXISTS (SELECT FROM device_groups g WHERE g.id = group_id)'),
  oms_wall('ota_stages', 'EXISTS (SELECT FROM ota_versions v WHERE v.ota_id = ota_stages.ota_id)'),
  oms_wall('ota_whites', 'EXISTS (SELECT FROM ota_versions v WHERE v.ota_id = ota_whites.ota_id)'),
  oms_wall('ota_task_logs', 'EXISTS (SELECT FROM ota_tasks t WHERE t.task_id = ota_task_logs.task_id)');
