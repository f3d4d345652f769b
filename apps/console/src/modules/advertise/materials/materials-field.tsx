import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined, InboxOutlined } from '@ant-design/icons'
import { type AdMaterial, ads } from '@oms/contract/advertise/ad.ts'
import { AD_FILE_PURPOSES, type AdFilePurpose } from '@oms/contract/advertise/ad-rules.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Button, Progress, Spin } from 'antd'
import { type DragEvent, useState, useEffect } from 'react'
import { formatBytes } from '#core/text/format.ts'
import { useRunningUpload } from '#kit/form/save/running-uploads.ts'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems } from '#kit/upload/file-problems.tsx'
import { describeFileRule } from '#kit/upload/file-upload.tsx'
import { MaterialLine } from './material-line.tsx'
import { type RunningUpload, type SentMaterial, useMaterialUploads } from './use-material-uploads.ts'
import '../advertise.css'
import { call } from '#core/api/client.ts'

interface MaterialsFieldProps {
  readonly purpose: AdFilePurpose
  /** Facts of the files that the stored ad has. */
  readonly known: readonly AdMaterial[]
  /** Changes the type of the ad to the type of the first files. Undefined when the type is fixed. */
  readonly onType?: ((adType: number) => void) | undefined
  /** Set by the component `Field`. */
  readonly id?: string
  readonly value?: readonly SentMaterial[]
  readonly onChange?: (value: readonly SentMaterial[]) => void
}

/**
 * Uploads the renditions of one creative by drag or choice, with progress and the properties that the server reads from
 * each file.
 */
export function MaterialsField({ id, purpose, known, onType, value = [], onChange }: MaterialsFieldProps) {
  const change = (next: readonly SentMaterial[]) => onChange?.(next)
  const { running, problems, take } = useMaterialUploads({ purpose, value, onChange: change, onType })
  useRunningUpload(running.length > 0, { id, noun: '素材' })
  const facts = useMaterialFacts(value, known)
  const move = (from: number, to: number) => {
    const next = [...value]
    const [moved] = next.splice(from, 1)
    if (moved) next.splice(to, 0, moved)
    change(next)
  }
  return (
    <div>
      <DropArea purpose={purpose} anyType={onType !== undefined && value.length === 0} onFiles={take} />
      <FileProblems problems={problems} />
      <ul className="kit-items">
        {value.map(({ fileId }, at) => (
          <MaterialLine key={fileId} facts={facts[fileId]}>
            <MoveButton label="上移" icon={<ArrowUpOutlined />} off={at === 0} onClick={() => move(at, at - 1)} />
            <MoveButton
              label="下移"
              icon={<ArrowDownOutlined />}
              off={at === value.length - 1}
              onClick={() => move(at, at + 1)}
            />
            <MoveButton
              label="移除"
              icon={<DeleteOutlined />}
              onClick={() => change(value.filter((each) => each.fileId !== fileId))}
            />
          </MaterialLine>
        ))}
        {running.map((upload) => (
          <RunningLine key={upload.key} upload={upload} />
        ))}
      </ul>
    </div>
  )
}

function MoveButton(props: { label: string; icon: React.ReactNode; off?: boolean; onClick(): void }) {
  const { label, icon, off = false, onClick } = props
  return (
    <Button type="text" size="small" aria-label={label} title={label} icon={icon} disabled={off} onClick={onClick} />
  )
}

const ALL_EXTENSIONS = AD_FILE_PURPOSES.flatMap((purpose) => UPLOAD[purpose].extensions)

interface DropAreaProps {
  readonly purpose: AdFilePurpose
  /** True when files of another type change the type of the ad. */
  readonly anyType: boolean
  onFiles(files: readonly File[]): void
}

function DropArea({ purpose, anyType, onFiles }: DropAreaProps) {
  const [over, setOver] = useState(false)
  const rule = UPLOAD[purpose]
  const stop = (event: DragEvent, isOver: boolean) => {
    event.preventDefault()
    setOver(isOver)
  }
  const hint =
    purpose === 'adPackage' ? '拖拽或点击上传素材包，根目录须有 index.html' : '拖拽或点击上传，可同时上传横屏和竖屏素材'
  return (
    <section
      aria-label="上传区域"
      className={over ? 'ad-drop ad-drop-over' : 'ad-drop'}
      onDragOver={(event) => stop(event, true)}
      onDragLeave={(event) => stop(event, false)}
      onDrop={(event) => {
        stop(event, false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      <FileButton label="选择素材" multiple extensions={anyType ? ALL_EXTENSIONS : rule.extensions} onFiles={onFiles}>
        <Button type="text" block className="ad-drop-button">
          <InboxOutlined />
          <span>{hint}</span>
          <small>{describeFileRule(rule)}，支持断点续传</small>
        </Button>
      </FileButton>
    </section>
  )
}

function RunningLine({ upload: { name, progress, cancel } }: { upload: RunningUpload }) {
  const { sent = 0, total = 1, phase = 'sending' } = progress ?? {}
  return (
    <li className="kit-row ad-material">
      <span className="ad-picture">
        <Spin size="small" />
      </span>
      <div className="kit-main">
        <b className="kit-ellipsis" title={name}>
          {name}
        </b>
        <Progress percent={Math.floor((sent / total) * 100)} size="small" aria-label={`上传进度 ${name}`} />
        <small>
          {phase === 'waiting' ? '网络中断，恢复后自动继续' : `${formatBytes(sent)} / ${formatBytes(total)}`}
        </small>
      </div>
      <Button type="link" size="small" onClick={cancel}>
        取消
      </Button>
    </li>
  )
}

const POLL_MS = 1200
const PENDING = 0

type FactsById = Readonly<Record<string, AdMaterial>>

/** Returns the facts of the files by id. Polls while the server is still reading a file. */
function useMaterialFacts(value: readonly SentMaterial[], known: readonly AdMaterial[]): FactsById {
  const [facts, setFacts] = useState<FactsById>(() => Object.fromEntries(known.map((each) => [each.fileId, each])))
  const waiting = value
    .flatMap(({ fileId }) => ((facts[fileId]?.probeState ?? PENDING) === PENDING ? [fileId] : []))
    .join(',')
  useEffect(() => {
    if (waiting === '') return undefined
    const abort = new AbortController()
    const read = async () => {
      for (const fileId of waiting.split(',')) {
        const found = await call(ads.probe, { fileId }, { quiet: true, signal: abort.signal }).catch(() => undefined)
        if (found && !abort.signal.aborted) setFacts((all) => ({ ...all, [fileId]: found }))
      }
    }
    void read()
    const timer = setInterval(() => void read(), POLL_MS)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [waiting])
  return facts
}
