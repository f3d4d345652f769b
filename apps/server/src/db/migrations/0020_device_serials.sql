-- Parts of serials among ten million: every four neighbouring characters are a key of their own. Trigrams are sixteen
-- times as common where serials are digits and few letters, and an index of them reads as many times as much.
CREATE FUNCTION oms_quads(t text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT coalesce(array_agg(substr(lower(t), i, 4)), '{}') FROM generate_series(1, length(t) - 3) AS i $$;
--> statement-breakpoint
CREATE INDEX devices_sn_quads ON devices USING gin (oms_quads(sn));
