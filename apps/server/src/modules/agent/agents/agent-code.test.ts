import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()

test('an agent is found by its full code, and by no part of the code', async () => {
  await app.db.execute(sql`insert into agents (tenant_id, agent_code, agent_name)
    values (1, 'AGT_SOUGHT', '小智'), (1, 'AGT_SOUGHT2', '小慧')`)
  const reader = await app.as('agent:agent:list')
  const find = async (code: string) => {
    const { data } = await reader.call('GET', `/api/v1/agent/list/page?pageNum=1&pageSize=10&agentCode=${code}`)
    return data.list.map(({ agentName }: { agentName: string }) => agentName)
  }
  expect(await find('AGT_SOUGHT')).toEqual(['小智'])
  expect(await find('AGT_SOUGH')).toEqual([])
})
