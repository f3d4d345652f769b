import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { formatRolloutPercentage } from '@oms/contract/upgrade/release-plan.ts'
import { Button, Dropdown } from 'antd'
import { MoreOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { useWrite } from '#core/api/query.ts'
import { Allowed, useCan } from '#core/auth/session.tsx'
import {
  useReleaseCalls,
  FORMAL_MODE,
  PAUSED_STATE,
  type Release,
  RUNNING_STATE,
  STOPPED_STATE,
  WAITING_STATE,
} from './release.tsx'

const PublishDrawer = lazyAfterRender(() => import('./publish-drawer.tsx'), 'PublishDrawer')
const modals = () => import('./release-dialogs.tsx')
const PauseOrStopModal = lazyAfterRender(modals, 'PauseOrStopModal')
const RolloutPercentageModal = lazyAfterRender(modals, 'RolloutPercentageModal')
const AuditModal = lazyAfterRender(modals, 'AuditModal')
const PushVersionModal = lazyAfterRender(modals, 'PushVersionModal')

type Open = 'publish' | 'pause' | 'stop' | 'share' | 'audit' | 'push'
const ALSO = { alsoChanges: ['device'] }

/** Buttons for the actions that the state of a release allows. */
export function ReleaseButtons({ release }: { release: Release }) {
  const calls = useReleaseCalls()
  const { state, status, canSteer } = release
  const [open, setOpen] = useState<Open>()
  const resume = useWrite(calls.release.resume, ALSO)
  if (status !== 1) return null
  if (!canSteer) return <PushOnly release={release} />
  return (
    <div className="kit-page-extra">
      {(state === WAITING_STATE || release.pending) && (
        <AuditButton release={release} onClick={() => setOpen('audit')} />
      )}
      {state === PAUSED_STATE && (
        <Allowed to={calls.release.resume}>
          <Button type="primary" loading={resume.isPending} onClick={() => resume.mutate({ otaId: release.otaId })}>
            继续
          </Button>
        </Allowed>
      )}
      {state === RUNNING_STATE && (
        <Allowed to={calls.release.pause}>
          <Button onClick={() => setOpen('pause')}>暂停</Button>
        </Allowed>
      )}
      {state !== STOPPED_STATE && (
        <Allowed to={calls.release.publish}>
          <Button
            {...(state === RUNNING_STATE && release.mode !== FORMAL_MODE && { type: 'primary' as const })}
            onClick={() => setOpen('publish')}
          >
            {release.mode === FORMAL_MODE ? '编辑发布' : '发布'}
          </Button>
        </Allowed>
      )}
      <SkipButton release={release} />
      <MoreMenu release={release} onOpen={setOpen} />
      <Dialogs release={release} open={open} onClose={() => setOpen(undefined)} />
    </div>
  )
}

interface DialogsProps {
  readonly release: Release
  readonly open: Open | undefined
  onClose(): void
}

function Dialogs({ release, open, onClose }: DialogsProps) {
  return (
    <>
      {open === 'publish' && <PublishDrawer release={release} onClose={onClose} />}
      {(open === 'pause' || open === 'stop') && <PauseOrStopModal release={release} what={open} onClose={onClose} />}
      {open === 'share' && <RolloutPercentageModal release={release} onClose={onClose} />}
      {open === 'audit' && <AuditModal release={release} onClose={onClose} />}
      {open === 'push' && <PushVersionModal release={release} onClose={onClose} />}
    </>
  )
}

/**
 * Buttons for a release that also reaches tenants outside the data scope: only a push to a visible device is possible.
 */
function PushOnly({ release }: { release: Release }) {
  const calls = useReleaseCalls()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="kit-page-extra">
      <Allowed to={calls.task.push}>
        <Button onClick={() => setOpen(true)}>推送到单台设备</Button>
      </Allowed>
      {isOpen && <PushVersionModal release={release} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** Approve button. When the user may not approve, the button is disabled and its tooltip shows the reason. */
function AuditButton({ release: { auditBlock }, onClick }: { release: Release; onClick(): void }) {
  const calls = useReleaseCalls()
  return (
    <Allowed to={calls.release.audit}>
      <ReasonedButton type="primary" reason={auditBlock || undefined} onClick={onClick}>
        审批
      </ReasonedButton>
    </Allowed>
  )
}

function SkipButton({ release: { otaId, stages, state } }: { release: Release }) {
  const calls = useReleaseCalls()
  const { mutateAsync } = useWrite(calls.release.skip, ALSO)
  const stage = stages.find((each) => each.state === 1 || each.state === 3)
  const next = stage && stages.find(({ seq }) => seq > stage.seq)
  if (!stage || !next || (state !== RUNNING_STATE && state !== PAUSED_STATE)) return null
  const ask = () =>
    dialogs.confirm({
      title: `跳过第 ${stage.seq} 阶段，扩大到 ${formatRolloutPercentage(next.percent)}？`,
      content: `当前阶段有 ${stage.succeeded + stage.failed} 个结果，失败 ${stage.failed} 个。跳过后不再等待该阶段的门槛，不能退回。`,
      okText: '进入下一阶段',
      onOk: () => mutateAsync({ otaId, seq: stage.seq }).catch(() => {}),
    })
  return (
    <Allowed to={calls.release.skip}>
      <Button onClick={ask}>跳过当前阶段</Button>
    </Allowed>
  )
}

const STAGED_SHARE = '调整比例（按阶段发布，请用“跳过当前阶段”或“编辑发布”）'

function MoreMenu({ release, onOpen }: { release: Release; onOpen(what: Open): void }) {
  const calls = useReleaseCalls()
  const can = useCan()
  const { mode, state, stages } = release
  const isStaged = stages.some((stage) => stage.state === 1 || stage.state === 3)
  const mayShare =
    can(calls.release.share.access) && mode === FORMAL_MODE && (state === RUNNING_STATE || state === PAUSED_STATE)
  const mayStop = can(calls.release.stop.access) && state !== STOPPED_STATE
  const items = [
    ...(mayShare ? [{ key: 'share', label: isStaged ? STAGED_SHARE : '调整比例', disabled: isStaged }] : []),
    ...(can(calls.task.push.access) ? [{ key: 'push', label: '推送到单台设备' }] : []),
    ...(mayStop ? [{ key: 'stop', label: '终止发布', danger: true }] : []),
  ]
  if (items.length === 0) return null
  return (
    <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => onOpen(key as Open) }}>
      <Button icon={<MoreOutlined />} aria-label="更多操作">
        更多
      </Button>
    </Dropdown>
  )
}
