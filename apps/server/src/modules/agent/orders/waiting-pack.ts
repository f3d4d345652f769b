/** SQL of the grants of the device `h`, of its agent and of its tenant. `g` is the alias of the grants. */
const formatGrantsSql = (
  g: string,
) => `(values (1::smallint, h.device_id), (2::smallint, h.agent_id), (3::smallint, h.tenant_id))
    as ${g}k (scope, target_id) join agent_grants ${g} on ${g}.scope = ${g}k.scope and ${g}.target_id = ${g}k.target_id
      and ${g}.tenant_id = h.tenant_id and ${g}.is_frozen = 0`

/**
 * SQL condition: the connection `u` of the device `h` begins a waiting pack, because no running grant with a balance
 * covers a unit of the pack. Ignores device days, whose packs begin with the first use of a day.
 */
export const BEGINS_PACK_SQL = `exists (select from ${formatGrantsSql('w')}
  where w.state = 0 and w.unit > 1 and w.create_time <= u.at and w.activate_until > u.at
    and not exists (select from ${formatGrantsSql('r')}
      where r.state = 1 and r.unit = w.unit and (r.is_unlimited = 1 or r.remaining > 0) and r.valid_until > u.at))`
