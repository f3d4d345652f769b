import { BarChartOutlined } from '@ant-design/icons'
import { agentUsage } from '@oms/contract/agent/usage/usage.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'

const UsageDrawer = lazyAfterRender(() => import('./usage-drawer.tsx'), 'UsageDrawer')

/** Button that opens the usage of all agents. */
export function UsageButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Allowed to={agentUsage.list}>
      <Button icon={<BarChartOutlined />} onClick={() => setOpen(true)}>
        用量
      </Button>
      {isOpen && <UsageDrawer onClose={() => setOpen(false)} />}
    </Allowed>
  )
}
