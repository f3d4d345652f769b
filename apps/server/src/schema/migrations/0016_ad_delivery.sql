-- Stores reported plays with their sums and the rejected reports. Returns one outcome a play: 1 stored, 0 known, 2 the
-- play overlaps a stored play of the device by more than 2 s. Each statement of the function has a snapshot of its own, so
-- the locks on buckets of devices are taken before the stored plays are read.
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
  ), known AS MATERIALIZED (
    SELECT x.ord FROM x JOIN ad_plays p USING (play_day, device_id, report_id)
    UNION
    -- Plays without a trusted clock have the day of their first arrival.
    SELECT x.ord FROM x JOIN ad_plays p USING (device_id, start_ms, report_id) WHERE x.clock = 0
  ), clash AS MATERIALIZED (
    SELECT x.ord FROM x
    WHERE NOT x.may_overlap AND x.ms > 2000 AND x.ord NOT IN (SELECT ord FROM known) AND EXISTS (
      SELECT FROM (
        (SELECT p.start_ms, p.ms, p.clock, p.count, p.program_id, p.program_ver FROM ad_plays p
          WHERE p.device_id = x.device_id AND p.play_day BETWEEN x.play_day - 1 AND x.play_day
            AND p.start_ms <= x.start_ms AND p.start_ms > x.start_ms - 3660000
          ORDER BY p.start_ms DESC LIMIT 8)
        UNION ALL
        SELECT p.start_ms, p.ms, p.clock, p.count, p.program_id, p.program_ver FROM ad_plays p
          WHERE p.device_id = x.device_id AND p.play_day BETWEEN x.play_day AND x.play_day + 1
            AND p.start_ms > x.start_ms AND p.start_ms < x.start_ms + x.ms - 2000
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
      coalesce(sum(count) FILTER (WHERE clock = 0), 0),
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
-- Notifies every process that a row changed that manifests depend on. Arguments: the kind of id (lists or devices) and its
-- column.
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
CREATE TRIGGER ad_screens_notify AFTER UPDATE OF player_token_hash, smil_key_hash, time_zone, volume ON ad_screens
  FOR EACH ROW WHEN (OLD.player_token_hash <> NEW.player_token_hash OR OLD.smil_key_hash <> NEW.smil_key_hash
    OR OLD.time_zone <> NEW.time_zone OR OLD.volume <> NEW.volume)
  EXECUTE FUNCTION oms_notify_ad('devices', 'device_id');
--> statement-breakpoint
-- A screen belongs to the tenant of its device and ends with the device.
CREATE FUNCTION oms_screen_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF NEW.deleted_at IS NOT NULL THEN
    DELETE FROM ad_screens WHERE device_id = NEW.id;
  ELSE
    UPDATE ad_screens SET tenant_id = NEW.tenant_id WHERE device_id = NEW.id AND tenant_id <> NEW.tenant_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_screen AFTER UPDATE OF tenant_id, deleted_at ON devices FOR EACH ROW
  WHEN (OLD.tenant_id <> NEW.tenant_id OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION oms_screen_follows();
