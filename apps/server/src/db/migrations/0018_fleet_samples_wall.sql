SELECT oms_wall('fleet_samples', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
