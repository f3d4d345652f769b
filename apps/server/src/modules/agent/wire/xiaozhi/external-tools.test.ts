import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { listAttachedTools, readMcpProviderAddress } from '../../voice-servers/mcp.ts'
import { McpClient } from '#test/clients/mcp-client.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const clients: McpClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

/** Starts an MCP access point. `tool` is the name of its tool; undefined while no tool provider is connected. */
async function openAccessPoint(state: { tool: string | undefined }) {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 65_536,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const server = createServer()
  const paths: string[] = []
  const serve = (socket: WebSocket) =>
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data))
      if (id === undefined) return
      const results: Record<string, object> = {
        initialize: { protocolVersion: '2024-11-05', capabilities: { tools: {} } },
        'tools/list': { tools: [{ name: state.tool, description: '查快递', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: `已到${params?.arguments?.city}` }], isError: false },
      }
      const answer = state.tool ? { result: results[method] } : { error: { code: -32_001, message: '工具端未连接' } }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
  server.on('upgrade', (request, duplex, head) => {
    paths.push(request.url ?? '')
    sockets.handleUpgrade(request, duplex, head, serve)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await oms.param('server.mcp_endpoint', `http://127.0.0.1:${port}/mcp_endpoint/health?key=k`)
  return { server, paths }
}

test('AGENT-18 an agent with tools of OMS also has the tools of the external access point', async () => {
  const agentId = await oms.agent({ tools: ['warranty'] })
  const { mac } = await oms.bound(agentId)
  const started = async () => {
    const body = { macAddress: mac, clientId: 'c', selectedModule: {} }
    const { data } = (await oms.call('config/agent-models', { body })).json()
    const client = new McpClient(data.mcp_endpoint)
    clients.push(client)
    await client.start()
    return client
  }
  const state: { tool: string | undefined } = { tool: 'track_parcel' }
  const { server, paths } = await openAccessPoint(state)
  try {
    const client = await started()
    expect(client.tools.map(({ name }) => name)).toEqual(['query_warranty', 'track_parcel'])
    const answer = await client.request(3, 'tools/call', { name: 'track_parcel', arguments: { city: '广州' } })
    expect(answer.result).toEqual({ content: [{ type: 'text', text: '已到广州' }], isError: false })
    expect(paths.every((path) => path.startsWith('/mcp_endpoint/call/?token='))).toBe(true)
    const agent = { agentId, tenantId: 1 }
    expect(await listAttachedTools(oms.services(), agent)).toMatchObject([{ name: 'track_parcel' }])
    expect(await readMcpProviderAddress(oms.services(), agent)).toContain('/mcp_endpoint/mcp/?token=')
    state.tool = undefined
    await expect(listAttachedTools(oms.services(), agent)).rejects.toThrow('工具端未连接')
    expect((await started()).tools).toHaveLength(1)
  } finally {
    await oms.query(`delete from agent_params where code = 'server.mcp_endpoint'`)
    oms.services().agentParameters.forget()
    server.close()
  }
})
