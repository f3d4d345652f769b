SELECT oms_wall('license_tenant_thresholds', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
