import { OtaVersion, OTA_STATUS } from '@oms/contract/upgrade/ota.ts'
import { formatVersionRange } from '@oms/contract/upgrade/version-range.ts'
import { Alert, Button, Popconfirm, Skeleton, Form, Modal } from 'antd'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { useRead, useWrite } from '#core/api/query.ts'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { time, Time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import type { Version } from './version.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { ComponentList } from './component-list.tsx'
import { CheckCircleFilled, CloseCircleFilled } from '@ant-design/icons'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { otaSigning, SIGNING_STATE, SignInput, softwareSigning } from '@oms/contract/upgrade/ota-signing.ts'
import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { saveBlob } from '#core/api/download.ts'
import { useCan } from '#core/auth/session.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import './ota.css'
import { NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { State } from '#kit/record/state.tsx'

/** Shows one version in a drawer: its fields, components and operation history. */
export function OtaDrawer(props: {
  rows: readonly Version[]
  row: Version | undefined
  onRow(row: Version | undefined): void
}) {
  return (
    <DetailDrawer
      {...props}
      rowKey="otaId"
      title={({ verName, verCode }) => `${verName}（${verCode}）`}
      head={({ status, modelName, components }) => ({
        state: <OtaStatus status={status} />,
        facts: [
          ['型号', modelName],
          ['组件', `${components} 个`],
        ],
      })}
    >
      {({ otaId }) => (
        <>
          <OtaDetails key={`d${otaId}`} otaId={otaId} />
          <OtaHistory key={`h${otaId}`} otaId={otaId} />
        </>
      )}
    </DetailDrawer>
  )
}

/** Operation history of a version, newest entry first. */
function OtaHistory({ otaId }: { otaId: number }) {
  const { key: bizType } = useArtifactKind()
  return (
    <>
      <h3 className="kit-heading">变更历史</h3>
      <RecordHistory bizType={bizType} bizId={otaId} />
    </>
  )
}

const COLORS: Readonly<Record<number, string>> = { 0: 'default', 1: 'success', 2: 'warning' }

/** Tag with the status of a version. */
const OtaStatus = ({ status }: { status: number }) => (
  <State color={COLORS[status]}>{OTA_STATUS[status as keyof typeof OTA_STATUS] ?? status}</State>
)

const { item, wide } = createDescriptions(OtaVersion)
const PACKAGE = item('packageName')
const ITEMS = [
  item('verName'),
  item('verCode'),
  PACKAGE,
  { ...item('oldVerMin', (_, row) => formatVersionRange(row)), title: '适用旧版本' },
  item('tenantName', (name, { tenantId }) => <TenantLink id={tenantId} name={name} />),
  item('buildDate', time),
  item('releaseDate', time),
  item('createByName'),
  item('createTime', time),
  item('enableTime', time),
  item('updateTime', time),
  wide('description'),
]

/** Read-only view of a version. */
function OtaDetails({ otaId }: { otaId: number }) {
  const { calls, key } = useArtifactKind()
  const { data, error, refetch } = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={10} />
  return (
    <>
      <Descriptions
        row={data.otaVersion}
        items={key === 'software' ? ITEMS : ITEMS.filter((each) => each !== PACKAGE)}
      />
      <h3 className="kit-heading">组件（{data.components.length}）</h3>
      <ComponentList components={data.components} />
      <SignatureBlock otaId={otaId} status={data.otaVersion.status} components={data.components.length} />
    </>
  )
}

type View = ResultOf<typeof otaSigning.get>

const SIGNATURE_COLORS: Readonly<Record<number, string>> = { 0: 'default', 1: 'processing', 2: 'success', 3: 'error' }

/** Shows the signature of a version and whether it is valid. Before the version is enabled, offers offline signing. */
function SignatureBlock({ otaId, status, components }: { otaId: number; status: number; components: number }) {
  const signing = useSigning()
  const { data, error, refetch } = useRead(signing.get, { otaId }, { quiet: true, keepPrevious: false })
  const check = useWrite(signing.verify)
  // Prefers the result of the file check while it belongs to the current manifest, because the check has read the files
  // again.
  const view = check.data && data && check.data.manifest === data.manifest ? check.data : data
  return (
    <section aria-label="签名">
      <h3 className="kit-heading">
        签名 {view && <State color={SIGNATURE_COLORS[view.state]}>{stateOf(view)}</State>}
      </h3>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active title={false} />}
      {view && (
        <>
          <Words view={view} status={status} />
          {view.manifest && <Facts view={view} />}
          <Checks view={view} />
          <div className="kit-row">
            {view.manifest && (
              <Button size="small" loading={check.isPending} onClick={() => check.mutate({ otaId })}>
                重新核对文件
              </Button>
            )}
            {view.manifest && <Downloads view={view} />}
            {status !== 1 && components > 0 && <OfflineSigning otaId={otaId} view={view} />}
          </div>
        </>
      )}
    </section>
  )
}

const stateOf = ({ state }: View) => SIGNING_STATE[state as keyof typeof SIGNING_STATE]

function Words({ view, status }: { view: View; status: number }) {
  if (view.state === 0)
    return (
      <p className="kit-hint">
        {view.detachedOnly
          ? '系统要求离线签名：生成清单，签名并上传后才能启用。'
          : status === 1
            ? '该版本启用时还没有签名，停用后重新启用即可签名。'
            : '启用时由服务器自动签名；也可以先生成清单，用离线密钥签名后上传。'}
      </p>
    )
  if (view.state === 1)
    return (
      <p className="kit-hint">
        请对下载的清单原文签名后上传{view.detachedOnly ? '' : '；不上传则启用时由服务器重新签名'}。
      </p>
    )
  return null
}

const Facts = ({ view }: { view: View }) => (
  <dl className="kit-facts">
    {view.keyId && (
      <div>
        <dt>密钥</dt>
        <dd>
          <CopyText text={view.keyId} /> {view.isOwn ? '（服务器）' : '（离线）'}
        </dd>
      </div>
    )}
    <div>
      <dt>发布序号</dt>
      <dd>{view.release}</dd>
    </div>
    <div>
      <dt>生成时间</dt>
      <dd>
        <Time at={view.createTime} />
      </dd>
    </div>
    <div>
      <dt>有效期至</dt>
      <dd>
        <Time at={view.expireTime} />
      </dd>
    </div>
  </dl>
)

const Checks = ({ view: { checks, state } }: { view: View }) => (
  <>
    {state === 3 && <Alert type="error" showIcon title="签名核对未通过，请停用该版本并查明原因" />}
    <ul className="kit-plain ota-checks" aria-label="核对结果">
      {checks.map(({ key, title, ok, words }) => (
        <li key={key}>
          {ok ? (
            <CheckCircleFilled className="kit-good" aria-label="通过" />
          ) : (
            <CloseCircleFilled className="kit-problem" aria-label="未通过" />
          )}
          {title}：{words}
        </li>
      ))}
    </ul>
  </>
)

const textOf = (text: string) => new Blob([text], { type: 'text/plain' })

/** Downloads of the signed manifest, the signature and the public keys. */
function Downloads({ view: { otaId, manifest, signature, keyId } }: { view: View }) {
  const signing = useSigning()
  const [busy, setBusy] = useState(false)
  const takeKey = async () => {
    setBusy(true)
    const found = await call(signing.keys, {}).catch(() => undefined)
    setBusy(false)
    const key = found?.keys.find((each) => each.keyId === keyId) ?? found?.keys[0]
    if (key) saveBlob(textOf(key.pem), `signing-${key.keyId}.pem`)
  }
  return (
    <>
      <Button size="small" onClick={() => saveBlob(textOf(manifest), `manifest-${otaId}.json`)}>
        下载清单
      </Button>
      {signature && (
        <>
          <Button size="small" onClick={() => saveBlob(textOf(signature), `manifest-${otaId}.sig.txt`)}>
            下载签名
          </Button>
          <Button size="small" loading={busy} onClick={takeKey}>
            下载公钥
          </Button>
        </>
      )}
    </>
  )
}

/** Offline signing: creates the manifest and uploads its signature. */
function OfflineSigning({ otaId, view }: { otaId: number; view: View }) {
  const can = useCan()
  const signing = useSigning()
  const prepare = useWrite(signing.prepare)
  const [signingNow, setSigningNow] = useState(false)
  if (!can(signing.prepare.access)) return null
  const make = () => prepare.mutateAsync({ otaId }).catch(() => {})
  const waits = view.manifest !== '' && !view.isOwn
  return (
    <>
      {waits ? (
        <Popconfirm title="重新生成后，以前的签名作废。" okText="重新生成" cancelText="取消" onConfirm={make}>
          <Button size="small" loading={prepare.isPending}>
            重新生成清单
          </Button>
        </Popconfirm>
      ) : (
        <Button size="small" loading={prepare.isPending} onClick={make}>
          生成待签名清单
        </Button>
      )}
      {waits && (
        <Button size="small" type="primary" onClick={() => setSigningNow(true)}>
          上传签名
        </Button>
      )}
      {signingNow && <SignatureModal otaId={otaId} onClose={() => setSigningNow(false)} />}
    </>
  )
}

/** Dialog that uploads a signature made offline. */
export function SignatureModal({ otaId, onClose }: { otaId: number; onClose(): void }) {
  const { modal, form } = useFormModal(useSigning().sign, {
    onClose,
    input: ({ signature }) => ({ otaId, signature }) as never,
  })
  return (
    <Modal title="上传清单签名" {...modal}>
      <Form {...form}>
        <NoteField of={SignInput} name="signature" rows={3} hint="对清单原文的 Ed25519 签名，Base64 文本" />
      </Form>
    </Modal>
  )
}

/** Returns the signing calls of the current artifact kind. */
const useSigning = () => (useArtifactKind().key === 'ota' ? otaSigning : softwareSigning)
