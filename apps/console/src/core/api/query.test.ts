import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { agents } from '@oms/contract/agent/agents/agent.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { QueryObserver } from '@tanstack/react-query'
import { beforeEach, expect, test } from 'vitest'
import { createQueryKey, createQueryClient, buildQueryMeta, refreshReads } from './query.ts'

const client = createQueryClient()
let read: string[] = []

/** Shows the response of an endpoint on the screen, as `useRead` does. */
async function show(endpoint: Endpoint) {
  const observer = new QueryObserver(client, {
    queryKey: createQueryKey(endpoint, {}),
    queryFn: () => {
      read.push(endpoint.path)
      return 1
    },
    meta: buildQueryMeta(endpoint, false),
  })
  observer.subscribe(() => {})
  await observer.fetchOptimistic(observer.options as never)
}

beforeEach(async () => {
  client.clear()
  await show(agents.list)
  await show(agentHistory.sessions)
  read = []
})

test('a change by another account refetches only queries that the operation log does not record', async () => {
  await refreshReads(client, { resource: 'agent' })
  expect(read).toEqual([agents.list.path])
  await refreshReads(client)
  expect(read).toEqual([agents.list.path, agents.list.path])
})

test('a write in this tab refetches logged queries only when the write belongs to their contract group', async () => {
  await refreshReads(client, { resource: 'agent', path: agents.update.path })
  expect(read).toEqual([agents.list.path])
  await refreshReads(client, { resource: 'agent', path: agentHistory.erase.path })
  expect(read.slice(1).toSorted()).toEqual([agentHistory.sessions.path, agents.list.path].toSorted())
})

test('a logged query that was not refetched is marked stale, so the next opening loads it', async () => {
  await refreshReads(client, { resource: 'agent' })
  expect(client.getQueryState(createQueryKey(agentHistory.sessions, {}))?.isInvalidated).toBe(true)
})
