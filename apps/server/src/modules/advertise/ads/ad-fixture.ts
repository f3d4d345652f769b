import { listChecks } from '@oms/contract/advertise/ad-rules.ts'
import sharp from 'sharp'
import { registerProbe } from './materials.ts'
import type { Caller, useApp } from '#test/harness.ts'

export const AD_URL = '/api/v1/advertise/ad'
const ACTIONS = ['list', 'query', 'add', 'edit', 'remove', 'upload', 'submit', 'enable']
export const AD_EDITOR = ACTIONS.map((action) => `advertiseManage:adList:${action}`)
export const AD_AUDITOR = ['list', 'query', 'audit'].map((action) => `advertiseManage:adList:${action}`)

type Purpose = 'adImage' | 'adVideo' | 'adAudio' | 'adPackage' | 'adPoster' | 'adProof'

/** Returns a JPEG of one colour. `orientation` is its EXIF orientation. */
export const createPicture = (width = 640, height = 360, orientation = 1) =>
  sharp({ create: { width, height, channels: 3, background: '#246' } })
    .jpeg()
    .withMetadata({ orientation })
    .toBuffer()

/** Returns functions that call the endpoints of ads on the test server of the calling file. */
export function useAds(app: ReturnType<typeof useApp>) {
  let isRegistered = false
  /** Runs the waiting jobs, which read the uploaded files. */
  const readFiles = async () => {
    if (!isRegistered) registerProbe(app.services)
    isRegistered = true
    await app.services.jobs.drain()
  }
  const send = async (caller: Caller, purpose: Purpose, name: string, content: Buffer) => {
    const boundary = '----oms-ad-boundary'
    const head =
      `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n` +
      'content-type: application/octet-stream\r\n\r\n'
    const payload = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)])
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    const url = purpose === 'adProof' ? '/api/v1/file/upload' : `${AD_URL}/upload`
    return (await caller.inject({ method: 'POST', url, payload, headers })).json()
  }
  const probe = async (caller: Caller, fileId: string) => (await caller.call('GET', `${AD_URL}/probe/${fileId}`)).data
  return {
    send,
    readFiles,
    probe,
    /** Uploads a file, reads it, and returns its facts. */
    async material(caller: Caller, purpose: Purpose, name: string, content: Buffer) {
      const { data } = await send(caller, purpose, name, content)
      await readFiles()
      return probe(caller, data.id)
    },
    editor: (tenant: string) => app.by({ tenant, permissions: AD_EDITOR }),
    auditor: (tenant: string) => app.by({ tenant, permissions: AD_AUDITOR }),
    /** Creates a text ad and returns its id. */
    async textAd(caller: Caller, fields: object = {}): Promise<number> {
      const text = { adName: '开业大吉', adType: 4, text: { content: '全场八折' }, ...fields }
      const { data, msg } = await caller.call('POST', AD_URL, text)
      if (!data?.id) throw new Error(msg)
      return data.id
    },
    submit: (caller: Caller, id: number) => caller.call('POST', `${AD_URL}/submit/${id}`),
    decide: (caller: Caller, id: number, version: object, fields: object = {}) =>
      caller.call('POST', `${AD_URL}/audit`, {
        id,
        ...version,
        auditStatus: 2,
        checks: listChecks(4),
        ...fields,
      }),
    read: async (caller: Caller, id: number) => (await caller.call('GET', `${AD_URL}/${id}`)).data,
  }
}
