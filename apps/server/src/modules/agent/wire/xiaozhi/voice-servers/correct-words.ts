import { parseMacDigits } from '../../../devices/mac.ts'
import { readObjectBody, type ServerCall, cleanText } from './server-call.ts'

const READ = `select line from agent_devices d join agents a on a.id = d.agent_id and a.deleted_at is null
    join agent_word_files f on f.id = any(a.word_file_ids) and f.tenant_id = a.tenant_id and f.deleted_at is null
    cross join unnest(f.lines) with ordinality as l (line, place)
  where d.mac = $1 and ($2 = 1 or d.tenant_id = $2) order by array_position(a.word_file_ids, f.id), l.place`

/**
 * `POST config/correct-words`: returns corrections of recognised words as `from|to`. Returns an empty list for an
 * unknown device.
 */
export async function listCorrectWords({ request, side, serverTenant }: ServerCall): Promise<string[]> {
  const { macAddress } = await readObjectBody(request)
  const mac = parseMacDigits(cleanText(macAddress))
  if (mac === undefined) return []
  const { rows } = await side.services.database.pool.query<{ line: string }>({
    name: 'agent-correct-words',
    text: READ,
    values: [mac, serverTenant],
  })
  return rows.map(({ line }) => line)
}
