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
