import { type MenuFinding, menu } from '@oms/contract/menu/menu.ts'
import { Alert, Button, Drawer, Skeleton, Tag } from 'antd'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import './menu.css'

type Finding = z.output<typeof MenuFinding>

const KINDS: Readonly<Record<Finding['kind'], string>> = {
  noPage: '地址无页面',
  noMenu: '页面无菜单',
  unusedPerms: '权限未使用',
  missingPerms: '权限无菜单',
  duplicateName: '名称重复',
  emptyDirectory: '空目录',
  badParent: '位置不正确',
}

/** Lists the errors and warnings of the menu tree, errors first. A click on a finding opens its menu. */
export function MenuLint({ onOpen, onClose }: { onOpen(id: number): void; onClose(): void }) {
  const { data, error, refetch } = useRead(menu.lint, {}, { staleTime: 0, quiet: true })
  return (
    <Drawer open size="min(640px, 100vw)" title="检查菜单" onClose={onClose}>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active />}
      {data && data.list.length === 0 && (
        <Alert type="success" showIcon title={`已检查 ${data.checked} 个菜单，没有发现问题`} />
      )}
      {data && data.list.length > 0 && <Findings findings={data.list} checked={data.checked} onOpen={onOpen} />}
    </Drawer>
  )
}

const isError = ({ level }: Finding) => level === 'error'

interface FindingsProps {
  findings: readonly Finding[]
  checked: number
  onOpen(id: number): void
}

function Findings({ findings, checked, onOpen }: FindingsProps) {
  const sorted = [...findings].sort((a, b) => Number(isError(b)) - Number(isError(a)))
  const errors = findings.filter(isError).length
  return (
    <>
      <Alert
        className="menu-note"
        type={errors ? 'error' : 'warning'}
        showIcon
        title={`已检查 ${checked} 个菜单：${errors} 个错误，${findings.length - errors} 个提醒`}
      />
      <ul className="menu-findings">
        {sorted.map((finding) => (
          <li key={`${finding.kind} ${finding.menuId} ${finding.message}`}>
            <div>
              <Tag color={isError(finding) ? 'red' : 'orange'}>{KINDS[finding.kind]}</Tag> {finding.name}
              <p>{finding.message}</p>
            </div>
            <EditButton finding={finding} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </>
  )
}

function EditButton({ finding: { menuId }, onOpen }: { finding: Finding; onOpen(id: number): void }) {
  if (menuId === null) return null
  return (
    <Allowed to={menu.update}>
      <Button type="link" size="small" onClick={() => onOpen(menuId)}>
        修改
      </Button>
    </Allowed>
  )
}
