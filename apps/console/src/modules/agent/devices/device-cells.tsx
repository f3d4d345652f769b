import { LIMIT_STATE_CODE, LIMIT_STATE } from '@oms/contract/agent/usage/usage-limit.ts'
import {
  AGENT_DEVICE_STATE,
  AgentDeviceRow,
  DEVICE_PACKAGE_STATE_CODE,
  DEVICE_PACKAGE_STATE,
  GATEWAY_CONNECTION,
  agentDevices,
} from '@oms/contract/agent/devices/device.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import { createDescriptions } from '#kit/record/descriptions.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { time } from '#kit/record/time.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { agentDetailPath } from '../agents/agent.tsx'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { useRead } from '#core/api/query.ts'
import './device.css'
import { State } from '#kit/record/state.tsx'

const STATE_COLOR: Readonly<Record<number, string>> = { 0: 'default', 1: 'success', 2: 'processing', 3: 'warning' }

type Cell = { readonly row: AgentDeviceRow }

/**
 * Shows the state of a device. A tag marks another Client-Id with its MAC, and another tag marks a reached limit of
 * packages.
 */
export const DeviceStateCell = ({ row: { id, state, identity, limit } }: Cell) => (
  <span className="kit-row">
    <State color={STATE_COLOR[state]}>{AGENT_DEVICE_STATE[state as 0]}</State>
    <Connection deviceId={id} />
    {identity === 1 && (
      <State color="error" title="另有设备以同一 MAC、不同 Client-Id 启动">
        身份不一致
      </State>
    )}
    {limit !== LIMIT_STATE_CODE.normal && (
      <State
        color={limit === LIMIT_STATE_CODE.stopped ? 'error' : 'warning'}
        title={limit === LIMIT_STATE_CODE.stopped ? '没有可用的套餐，设备只播报提示语' : '没有可用的套餐，设备照常对话'}
      >
        套餐{LIMIT_STATE[limit as 0]}
      </State>
    )}
  </span>
)

/** Shows whether the MQTT gateway holds the connection of a device. Empty without a gateway. */
function Connection({ deviceId }: { readonly deviceId: number }) {
  const connection = useConnection(deviceId)
  if (connection === undefined) return null
  return (
    <State color={connection === 1 ? 'success' : 'default'} title="MQTT 网关报告的连接">
      {GATEWAY_CONNECTION[connection as 0]}
    </State>
  )
}

/** Shows the agent of a device as a link to the agent's page. */
export const DeviceAgentCell = ({ row: { agentId, agentName } }: Cell) => (
  <PermittedLink to={agentDetailPath(agentId)}>{agentName}</PermittedLink>
)

/** Shows the board of a device and below it the version that it reported. */
export const DeviceBoardTypeCell = ({ row: { board, appVersion } }: Cell) => (
  <span className="kit-cell" title={`${board} ${appVersion}`}>
    <span className="kit-ellipsis">{board || '-'}</span>
    <small className="kit-muted">{appVersion}</small>
  </span>
)

const STATE_CLASS: Readonly<Record<number, string>> = { 1: 'kit-good', 3: 'kit-warning' }

/** Shows the package that a device uses now or next, with its state and end. */
export function DevicePackageCell({ row: { packageName, packageState, packageEnd } }: Cell) {
  if (packageState === DEVICE_PACKAGE_STATE_CODE.none) return <span className="kit-muted">无套餐</span>
  const day = packageEnd?.slice(0, 10) ?? ''
  const until = packageState === DEVICE_PACKAGE_STATE_CODE.waiting ? `${day} 前激活` : `至 ${day}`
  return (
    <span className="kit-cell" title={`${packageName}，${until}`}>
      <span className="kit-ellipsis">{packageName}</span>
      <small className={STATE_CLASS[packageState] ?? 'kit-muted'}>
        {DEVICE_PACKAGE_STATE[packageState as 0]}，{until}
      </small>
    </span>
  )
}

const devicePath = (id: number) => `/device/apkManage/detail/${id}`

const { item, wide } = createDescriptions(AgentDeviceRow)
const DEVICE_ITEMS = [
  item('name'),
  item('state', (_, row) => <DeviceStateCell row={row} />),
  item('mac', (mac) => <CopyText text={mac} />),
  item('sn', (sn, { id }) => <PermittedLink to={devicePath(id)}>{sn}</PermittedLink>),
  item('board'),
  item('appVersion'),
  item('modelName'),
  item('autoUpdate'),
  item('agentName', (_, row) => <DeviceAgentCell row={row} />),
  item('tenantName', (name, { tenantId }) => <TenantLink id={tenantId} name={name} />),
  item('packageName', (_, row) => <DevicePackageCell row={row} />),
  item('bootTime', time),
  item('sessionTime', time),
  item('turnTime', time),
  item('createTime', time),
  wide('clientId'),
]
const OTHER_IDENTITY_ITEMS = [wide('otherClientId'), item('otherClientTime', time)]

/** Returns the items of a device. Only a device that reported another identity has the items of the other identity. */
export const listDeviceItems = ({ otherClientId }: Pick<AgentDeviceRow, 'otherClientId'>) =>
  otherClientId === '' ? DEVICE_ITEMS : [...DEVICE_ITEMS, ...OTHER_IDENTITY_ITEMS]

const Connections = createContext<ReadonlyMap<number, number>>(new Map())

/** Returns 1 for a device that is connected to the MQTT gateway, 0 for other devices, undefined when unknown. */
const useConnection = (deviceId: number) => use(Connections).get(deviceId)

interface Props {
  readonly rows: readonly Pick<AgentDeviceRow, 'id'>[]
  readonly children: ReactNode
}

/** Reads the connections of these devices after the list, which does not wait for the gateway. */
export function DeviceConnections({ rows, children }: Props) {
  const ids = rows.map(({ id }) => id)
  const { data } = useRead(agentDevices.connections, { ids }, { enabled: ids.length > 0, quiet: true })
  const byId = useMemo(() => new Map(data?.list.map(({ id, connection }) => [id, connection])), [data])
  return <Connections value={byId}>{children}</Connections>
}

/**
 * Shows the OTA address of this installation, with a button that copies it. The parameter `server.ota` replaces the
 * address of the console, for devices that reach the installation by another host.
 */
export function OtaAddress() {
  const { data, isPending } = useRead(agentDevices.otaAddress, {}, { quiet: true })
  if (isPending) return <p className="kit-hint agent-ota">OTA 地址</p>
  return (
    <p className="kit-hint agent-ota">
      OTA 地址 <CopyText text={data?.address || `${globalThis.location.origin}/xiaozhi/ota/`} />
    </p>
  )
}
