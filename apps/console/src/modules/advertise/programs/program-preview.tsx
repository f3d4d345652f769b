import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { loadZone } from '@oms/contract/advertise/engine/zone.ts'
import type { PreviewShow } from '@oms/contract/advertise/preview.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { buildTimelineStrip } from '@oms/contract/advertise/program-strip.ts'
import { Modal } from 'antd'
import { useCallback } from 'react'
import { call } from '#core/api/client.ts'
import { PreviewFrame } from '../preview-frame.tsx'
import '../advertise.css'

/** Number of days that are searched for the first play of the program. */
const SEARCHED_DAYS = 8

interface Props {
  readonly manifest: Manifest
  /** Program that is edited; 0: a new program. */
  readonly id: number
  onClose(): void
}

const filesOf = ({ ads }: Manifest, signal: AbortSignal) =>
  call(programOptions.files, { adIds: ads.map(({ id }) => id) }, { quiet: true, signal })
const byHash = (list: readonly { sha256: string; query: string }[]) =>
  Object.fromEntries(list.map(({ sha256, query }) => [sha256, query]))

/** Returns now while the program plays, otherwise the beginning of its next segment. */
export function findFirstPlay(manifest: Manifest, id: number, now: number): number {
  const zone = loadZone(manifest.zone)
  const program = manifest.programs.find((each) => each.id === id)
  const today = zone.dayAt(now)
  const first = program ? Math.max(today, Math.round(Date.parse(program.dateFrom) / 86_400_000)) : today
  for (let day = first; day < first + SEARCHED_DAYS; day += 1) {
    const segments = buildTimelineStrip(manifest, zone.startOf(day, 0), zone.startOf(day + 1, 0))
    const found = segments.find(({ end, programs }) => end > now && programs.some((each) => each.id === id))
    if (found) return Math.max(now, found.start)
  }
  return now
}

/** Plays the edited content of a program with the player of the screens. */
export function ProgramPreview({ manifest, id, onClose }: Props) {
  const load = useCallback(
    async (signal: AbortSignal): Promise<PreviewShow<Blob>> => {
      const { files, packages } = await filesOf(manifest, signal)
      return {
        type: 'ad-preview:show',
        manifest,
        files: Object.fromEntries(files.map(({ sha256, url }) => [sha256, url])),
        packages: byHash(packages),
        at: findFirstPlay(manifest, id, Date.now()),
      }
    },
    [manifest, id],
  )
  const renew = useCallback(
    async (signal: AbortSignal) => byHash((await filesOf(manifest, signal)).packages),
    [manifest],
  )
  return (
    <Modal open title="预览" footer={null} onCancel={onClose} width="min(960px, 100vw)" destroyOnHidden>
      <div className="ad-program-preview">
        <PreviewFrame title="预览节目单" load={load} renew={renew} />
      </div>
    </Modal>
  )
}
