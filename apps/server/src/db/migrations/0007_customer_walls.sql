CREATE INDEX tenants_name_trgm ON tenants USING gin (name gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX app_accounts_account_trgm ON app_accounts USING gin (account gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX app_accounts_nickname_trgm ON app_accounts USING gin (nickname gin_trgm_ops);
--> statement-breakpoint
SELECT oms_wall(t, 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)')
FROM unnest(ARRAY['user_applications', 'app_accounts']) AS t;
--> statement-breakpoint
-- Industries are the vendor's own; customers only read them.
ALTER TABLE industries ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON industries FOR SELECT TO oms_tenant USING (true);
