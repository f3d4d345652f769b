-- Stores a batch of plays without a join over all kept plays. Only devices with a stored play near their reported plays are
-- checked play by play for overlaps.
CREATE OR REPLACE FUNCTION oms_store_plays(
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
