import type { SceneImpact } from '@oms/contract/scene/scene.ts'
import { Alert, Table } from 'antd'
import type * as z from 'zod'
import './scene.css'

type Impact = z.output<typeof SceneImpact>
type Tenant = Impact['tenants'][number]
type Role = Impact['roles'][number]

/** Shows the permissions that tenants and roles lose and gain, tenants first. */
export function ImpactReport({ impact }: { impact: Impact }) {
  const { tenantCount, roleCount, accountsLosing, accountsGaining, tenants, roles } = impact
  if (tenantCount === 0) return <p>没有客户的权限会因此变化。</p>
  return (
    <div className="scene-impact">
      <Alert
        showIcon
        type={accountsLosing > 0 ? 'warning' : 'info'}
        title={`影响 ${tenantCount} 个客户、${roleCount} 个角色；${accountsLosing} 个账号失去权限，${accountsGaining} 个账号获得权限。保存后立即生效。`}
      />
      <Table<Tenant>
        size="small"
        rowKey="id"
        pagination={false}
        scroll={{ y: 180 }}
        dataSource={tenants}
        columns={[
          { key: 'name', title: '客户', dataIndex: 'name', width: 160 },
          { key: 'loses', title: '失去', render: (_, row) => <Names names={row.loses} count={row.loseCount} lost /> },
          { key: 'gains', title: '获得', render: (_, row) => <Names names={row.gains} count={row.gainCount} /> },
        ]}
      />
      {roles.length > 0 && (
        <Table<Role>
          size="small"
          rowKey="id"
          pagination={false}
          scroll={{ y: 180 }}
          dataSource={roles}
          columns={[
            { key: 'roleName', title: '角色', width: 160, render: (_, row) => `${row.roleName}（${row.tenantName}）` },
            { key: 'accounts', title: '账号', dataIndex: 'accounts', width: 60, align: 'right' },
            { key: 'loses', title: '失去', render: (_, row) => <Names names={row.loses} count={row.loseCount} lost /> },
            { key: 'gains', title: '获得', render: (_, row) => <Names names={row.gains} count={row.gainCount} /> },
          ]}
        />
      )}
    </div>
  )
}

const SHOWN = 3

function Names({ names, count, lost = false }: { names: readonly string[]; count: number; lost?: boolean }) {
  if (count === 0) return <span className="kit-none">-</span>
  const rest = count - Math.min(names.length, SHOWN)
  return (
    <span className={lost ? 'scene-lost' : 'scene-gained'} title={names.join('\n')}>
      {names.slice(0, SHOWN).join('、')}
      {rest > 0 && ` 等 ${count} 项`}
    </span>
  )
}
