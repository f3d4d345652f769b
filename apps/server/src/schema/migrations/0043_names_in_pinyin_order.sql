-- Names sort in pinyin order. A PostgreSQL without ICU keeps the order of code points.
DO $$ BEGIN
  CREATE COLLATION oms_names (provider = icu, locale = 'zh');
EXCEPTION WHEN feature_not_supported OR undefined_object OR invalid_parameter_value THEN
  CREATE COLLATION oms_names FROM "C";
END $$;--> statement-breakpoint
DROP INDEX "agents_name";--> statement-breakpoint
CREATE INDEX "agents_name" ON "agents" USING btree ("agent_name" collate oms_names nulls first,"id");
