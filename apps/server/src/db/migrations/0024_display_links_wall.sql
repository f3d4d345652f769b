SELECT oms_wall('display_links', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
