import { Button } from 'antd'
import { useState } from 'react'
import { usePermissions } from '#kernel/session.tsx'
import { leaveTenant } from './visit.ts'
import './tenant.css'

/** Says all the time that one works in a customer, and offers the way back. */
export function VisitBanner() {
  const { visiting } = usePermissions()
  const [busy, setBusy] = useState(false)
  if (!visiting) return null
  const leave = () => {
    setBusy(true)
    leaveTenant().catch(() => setBusy(false))
  }
  return (
    <div className="visit-banner" role="status">
      <span>
        您正在客户「<strong>{visiting.name}</strong>」中工作，看到和新建的都是该客户的数据
      </span>
      <Button size="small" loading={busy} onClick={leave}>
        返回{visiting.home}
      </Button>
    </div>
  )
}
