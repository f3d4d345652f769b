import { Button, Dropdown, Tooltip } from 'antd'
import { MoreOutlined } from '@ant-design/icons'
import { useState } from 'react'
import { later } from '#kernel/later.tsx'
import { dialogs } from '#kernel/overlays.ts'
import { useWrite } from '#kernel/query.ts'
import { Allowed, useCan } from '#kernel/session.tsx'
import { useCalls } from './release-calls.ts'
import { FORMAL, PAUSED, type Release, RUNNING, STOPPED, WAITING } from './release-state.tsx'
import { shareText } from './release-words.ts'

const PublishDrawer = later(() => import('./publish-drawer.tsx'), 'PublishDrawer')
const modals = () => import('./order-modals.tsx')
const HoldModal = later(modals, 'HoldModal')
const ShareModal = later(modals, 'ShareModal')
const AuditModal = later(modals, 'AuditModal')
const PushModal = later(modals, 'PushModal')

type Open = 'publish' | 'pause' | 'stop' | 'share' | 'audit' | 'push'
const ALSO = { alsoChanges: ['device'] }

/** What can be done to a release now. */
export function ReleaseButtons({ release }: { release: Release }) {
  const calls = useCalls()
  const { state, status } = release
  const [open, setOpen] = useState<Open>()
  const resume = useWrite(calls.release.resume, ALSO)
  const close = () => setOpen(undefined)
  if (status !== 1) return null
  return (
    <div className="up-head-buttons">
      {state === WAITING && <AuditButton release={release} onClick={() => setOpen('audit')} />}
      {state === PAUSED && (
        <Allowed to={calls.release.resume}>
          <Button type="primary" loading={resume.isPending} onClick={() => resume.mutate({ otaId: release.otaId })}>
            继续
          </Button>
        </Allowed>
      )}
      {state === RUNNING && (
        <Allowed to={calls.release.pause}>
          <Button onClick={() => setOpen('pause')}>暂停</Button>
        </Allowed>
      )}
      {state !== STOPPED && (
        <Allowed to={calls.release.publish}>
          <Button
            {...(state === RUNNING && release.mode !== FORMAL && { type: 'primary' as const })}
            onClick={() => setOpen('publish')}
          >
            {release.mode === FORMAL ? '编辑发布' : '发布'}
          </Button>
        </Allowed>
      )}
      <SkipButton release={release} />
      <MoreMenu release={release} onOpen={setOpen} />
      {open === 'publish' && <PublishDrawer release={release} onClose={close} />}
      {(open === 'pause' || open === 'stop') && <HoldModal release={release} what={open} onClose={close} />}
      {open === 'share' && <ShareModal release={release} onClose={close} />}
      {open === 'audit' && <AuditModal release={release} onClose={close} />}
      {open === 'push' && <PushModal release={release} onClose={close} />}
    </div>
  )
}

/** Whoever may not approve this one is told why instead of finding out. */
function AuditButton({ release: { auditBlock }, onClick }: { release: Release; onClick(): void }) {
  const calls = useCalls()
  return (
    <Allowed to={calls.release.audit}>
      <Tooltip title={auditBlock}>
        <Button type="primary" disabled={auditBlock !== ''} onClick={onClick}>
          审批
        </Button>
      </Tooltip>
    </Allowed>
  )
}

function SkipButton({ release: { otaId, stages, state } }: { release: Release }) {
  const calls = useCalls()
  const { mutateAsync } = useWrite(calls.release.skip, ALSO)
  const stage = stages.find((each) => each.state === 1 || each.state === 3)
  const next = stage && stages.find(({ seq }) => seq > stage.seq)
  if (!stage || !next || (state !== RUNNING && state !== PAUSED)) return null
  const ask = () =>
    dialogs.confirm({
      title: `跳过第 ${stage.seq} 阶段，扩大到 ${shareText(next.percent)}？`,
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

function MoreMenu({ release, onOpen }: { release: Release; onOpen(what: Open): void }) {
  const calls = useCalls()
  const can = useCan()
  const { mode, state, stages } = release
  const isStaged = stages.some((stage) => stage.state === 1 || stage.state === 3)
  const mayShare =
    can(calls.release.share.access) && mode === FORMAL && !isStaged && (state === RUNNING || state === PAUSED)
  const mayStop = can(calls.release.stop.access) && state !== STOPPED
  const items = [
    ...(mayShare ? [{ key: 'share', label: '调整比例' }] : []),
    ...(can(calls.task.push.access) ? [{ key: 'push', label: '推送到单台设备' }] : []),
    ...(mayStop ? [{ key: 'stop', label: '终止发布', danger: true }] : []),
  ]
  if (items.length === 0) return null
  return (
    <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => onOpen(key as Open) }}>
      <Button icon={<MoreOutlined />} aria-label="更多操作" />
    </Dropdown>
  )
}
