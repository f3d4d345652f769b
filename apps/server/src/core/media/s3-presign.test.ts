import { expect, test } from 'vitest'
import { S3Presigner } from './s3-media.ts'

const signatureOf = (url: string) => new URL(url).searchParams.get('X-Amz-Signature')

test('the signature equals the example of the documentation of Amazon S3', () => {
  const presigner = new S3Presigner({
    endpoint: 'https://s3.amazonaws.com',
    region: 'us-east-1',
    bucket: 'examplebucket',
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    pathStyle: false,
  })
  const url = presigner.url({
    method: 'GET',
    key: 'test.txt',
    seconds: 86_400,
    now: Date.parse('2013-05-24T00:00:00Z'),
  })
  expect(url).toMatch(/^https:\/\/examplebucket\.s3\.amazonaws\.com\/test\.txt\?/)
  expect(signatureOf(url)).toBe('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
})

test.each([
  [
    'PUT',
    true,
    { 'content-length': '412096', 'content-type': 'video/mp2t' },
    '2dbf25354772e768440518b4dca8edb3d277e752f76d64a07c0ff27388a7640f',
  ],
  ['GET', true, {}, 'f751153d8caf845138de039b4729706c5a4c2ca713bca061712b6d6aec288ec3'],
  ['GET', false, {}, '6dd4591f6bf5addb656667afd486cc033a11e68d8af3f4b9bfd307b602ac8865'],
] as const)('%s signs headers and the encoded path (path-style: %s)', (method, pathStyle, headers, signature) => {
  const presigner = new S3Presigner({
    endpoint: 'https://s3.example.org:9000/',
    region: 'eu-1',
    bucket: 'oms',
    accessKey: 'AK',
    secretKey: 'SK/+',
    pathStyle,
    prefix: '/a b/',
  })
  const now = Date.parse('2026-11-23T12:00:00Z')
  expect(signatureOf(presigner.url({ method, key: 'v/1/x-1.ts', seconds: 900, now, headers }))).toBe(signature)
})
