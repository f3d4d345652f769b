import { type ConsentRow, OWN_CONSENT_MESSAGE, playbackConsents } from '@oms/contract/storage/consent.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { Allowed, useSession } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { toast } from '#core/loading/toast.ts'

const ViewDialog = lazyAfterRender(() => import('./view-dialog.tsx'), 'ViewDialog')

const VALID = 1
const NO_CONSENT = '未取得用户授权，不能查看录像。请用户在 App 中授权，或在「授权与查看记录」登记书面授权'

/** Opens a view of a device with its newest valid consent that the account may use. */
export function ViewButton({ deviceId }: { readonly deviceId: number }) {
  const uid = useSession()?.uid
  const [isBusy, setBusy] = useState(false)
  const [consent, setConsent] = useState<ConsentRow>()
  const open = async () => {
    setBusy(true)
    const query = { deviceId, state: VALID, pageNum: 1, pageSize: 50 } as const
    // The client shows a failure as a toast.
    const found = await call(playbackConsents.list, query).catch(() => undefined)
    setBusy(false)
    const usable = found?.list.find((row) => row.uid !== uid)
    if (usable) setConsent(usable)
    else if (found) toast.warning(found.list.length > 0 ? OWN_CONSENT_MESSAGE : NO_CONSENT)
  }
  return (
    <Allowed to={playbackConsents.view}>
      <Button size="small" loading={isBusy} onClick={open}>
        查看录像
      </Button>
      {consent && <ViewDialog consent={consent} onClose={() => setConsent(undefined)} />}
    </Allowed>
  )
}
