import { agentVersions } from '@oms/contract/agent/agents/agent-version.ts'
import { Button, Modal } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { type DiffPart, diffTexts } from './text-diff.ts'
import './agent.css'

interface Props {
  readonly agentId: number
  readonly versionNo: number
  onClose(): void
}

/** Shows the fields in which a version differs from the version in force, the older version on the left. */
export function DiffDialog({ agentId, versionNo, onClose }: Props) {
  const { data, error, refetch } = useRead(
    agentVersions.diff,
    { id: agentId, versionNo },
    { quiet: true, keepPrevious: false },
  )
  const isOlder = data !== undefined && versionNo < data.against
  const titles = data ? ordered(isOlder, `v${data.against}（当前）`, `v${versionNo}`) : []
  return (
    <Modal
      open
      title={data ? `${titles.join(' 与 ')} 的差异` : '版本差异'}
      width="min(900px, 96vw)"
      footer={<Button onClick={onClose}>关闭</Button>}
      onCancel={onClose}
    >
      {!data && <Waiting reads={[{ error, refetch }]} rows={3} />}
      {data?.list.length === 0 && <p>两个版本没有差异。</p>}
      <div className="kit-stack">
        {data && data.list.length > 0 && (
          <div className="kit-muted agent-diff-sides">
            {titles.map((title) => (
              <span key={title}>{title}</span>
            ))}
          </div>
        )}
        {data?.list.map(({ field, title, from, to }) => (
          <FieldDiff key={field} title={title} sides={ordered(isOlder, from, to)} />
        ))}
      </div>
    </Modal>
  )
}

/** Returns both values with the older version first. The call returns the value in force first. */
const ordered = (isOlder: boolean, inForce: string, other: string) =>
  isOlder ? ([other, inForce] as const) : ([inForce, other] as const)

function FieldDiff({ title, sides: [before, after] }: { title: string; sides: readonly [string, string] }) {
  const [from, to] = diffTexts(before, after)
  return (
    <div>
      <b>{title}</b>
      <div className="agent-diff-sides">
        <Side pieces={from} />
        <Side pieces={to} />
      </div>
    </div>
  )
}

const Side = ({ pieces }: { pieces: readonly DiffPart[] }) => (
  <div>
    {pieces.every(({ text }) => text === '')
      ? '（空）'
      : pieces.map(({ text, isChanged }, at) =>
          // oxlint-disable-next-line react/no-array-index-key -- pieces have no identity and never move
          isChanged ? <mark key={at}>{text}</mark> : text,
        )}
  </div>
)
