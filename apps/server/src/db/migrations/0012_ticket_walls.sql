CREATE INDEX tickets_content_trgm ON tickets USING gin (content gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX tickets_sn_trgm ON tickets USING gin (sn gin_trgm_ops);
--> statement-breakpoint
ALTER TABLE ticket_viewers SET UNLOGGED;
--> statement-breakpoint
ALTER TABLE tickets SET (fillfactor = 85);
--> statement-breakpoint
-- What one ticket adds to the statistics. `dim`: 1 made by problem type, 2 closed by problem type (total: minutes until
-- then), 3 answered first (total: minutes), 4 reopened (total: times), 5 rated (total: stars), 6 late, 7 made by weekday
-- and hour, 8 made by firmware, 9 closed by handler (total: minutes), 11 to 13 hardware, software and structure options,
-- 14 reopened by handler, 15 rated by handler (total: stars). A duplicate merged into another counts nowhere.
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
-- Appends what changed. Adding to shared rows instead would make everybody who closes a ticket wait for everybody else.
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
SELECT oms_wall(t, 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)')
FROM unnest(ARRAY['tickets', 'ticket_templates', 'ticket_facts', 'ticket_fleet']) AS t;
--> statement-breakpoint
SELECT oms_wall('ticket_records', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)'),
  oms_wall('ticket_files', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)'),
  oms_wall('ticket_viewers', 'EXISTS (SELECT FROM tickets t WHERE t.id = ticket_id)');
