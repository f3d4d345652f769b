import { CheckOutlined } from '@ant-design/icons'
import { DATA_SCOPE, role } from '@oms/contract/role/role.ts'
import { Modal, Skeleton, Switch, Table } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { LoadFailed } from '#kit/table/table-state.tsx'
import './role.css'

type Comparison = z.output<(typeof role.compare)['result']>
type Line = Comparison['rows'][number]

const differs = ({ held }: Line) => held.includes(true) && held.includes(false)

/** Compares roles in a table with one row for each permission that at least one role has. */
export function RoleCompare({ ids, onClose }: { ids: readonly number[]; onClose(): void }) {
  const { data, error, refetch } = useRead(role.compare, { ids: [...ids] }, { quiet: true })
  return (
    <Modal open title="对比角色权限" width="min(960px, 100vw)" footer={null} onCancel={onClose}>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active />}
      {data && <Matrix comparison={data} />}
    </Modal>
  )
}

function Matrix({ comparison: { roles, rows } }: { comparison: Comparison }) {
  const [onlyDifferences, setOnlyDifferences] = useState(true)
  const different = rows.filter(differs)
  const shown = onlyDifferences ? different : rows
  return (
    <>
      <p className="role-compare-bar">
        <label htmlFor="role-differences">
          <Switch id="role-differences" size="small" checked={onlyDifferences} onChange={setOnlyDifferences} /> 只看差异
        </label>
        <span>
          共 {rows.length} 项权限，{different.length} 项不同
        </span>
      </p>
      <Table<Line>
        size="small"
        rowKey="menuId"
        pagination={false}
        scroll={{ x: 320 + roles.length * 130, y: 480 }}
        dataSource={shown}
        locale={{ emptyText: rows.length ? '这些角色的权限完全相同' : '这些角色都还没有权限' }}
        columns={[
          { key: 'path', title: '位置', dataIndex: 'path', width: 180 },
          { key: 'name', title: '权限', dataIndex: 'name', width: 140, fixed: 'start' },
          ...roles.map(({ id, roleName, dataScope, status }, place) => ({
            key: String(id),
            align: 'center' as const,
            title: <RoleHead name={roleName} scope={dataScope} on={status === 1} />,
            render: (_: unknown, line: Line) => <Held held={line.held[place] === true} />,
          })),
        ]}
      />
    </>
  )
}

function RoleHead({ name, scope, on }: { name: string; scope: number; on: boolean }) {
  return (
    <>
      {name}
      <div className="role-scope">
        {DATA_SCOPE[scope as keyof typeof DATA_SCOPE]}
        {!on && ' · 已停用'}
      </div>
    </>
  )
}

const Held = ({ held }: { held: boolean }) =>
  held ? (
    <CheckOutlined className="role-held" role="img" aria-label="有" />
  ) : (
    <span className="role-lacks" role="img" aria-label="没有">
      —
    </span>
  )
