import { AwsV4Signer } from 'aws4fetch'
import { expect, test } from 'vitest'
import { S3Presigner } from './s3-presign.ts'

const config = {
  endpoint: 'https://s3.example.org:9000/',
  region: 'eu-1',
  bucket: 'oms',
  accessKey: 'AK',
  secretKey: 'SK/+',
}
const now = Date.parse('2026-11-23T12:00:00Z')

test.each([
  ['PUT', true, { 'content-length': '412096', 'content-type': 'video/mp2t' }],
  ['GET', true, {}],
  ['GET', false, {}],
] as const)(
  'a presigned URL for %s equals the URL of aws4fetch (path-style: %s)',
  async (method, pathStyle, headers) => {
    const signed = new URL(
      new S3Presigner({ ...config, pathStyle, prefix: '/a b/' }).url({
        method,
        key: 'v/1/x-1.ts',
        seconds: 900,
        now,
        headers,
      }),
    )
    const plain = new URL(signed)
    plain.search = '?X-Amz-Expires=900'
    const signer = new AwsV4Signer({
      method,
      url: plain.href,
      headers,
      accessKeyId: config.accessKey,
      secretAccessKey: config.secretKey,
      region: config.region,
      service: 's3',
      signQuery: true,
      allHeaders: true,
      datetime: '20261123T120000Z',
    })
    const expected = (await signer.sign()).url.searchParams.get('X-Amz-Signature')
    expect(signed.searchParams.get('X-Amz-Signature')).toBe(expected)
  },
)
