interface Access {
  readonly tenantNo: string
  readonly targetToken: number
  readonly gatewayToken: number
  readonly pollSeconds: number
}

/** Returns the URLs that devices call, and SWUpdate's configuration for them. */
export function buildConnectionExamples(origin: string, { tenantNo, targetToken, gatewayToken, pollSeconds }: Access) {
  const token = targetToken === 1 || gatewayToken !== 1 ? 'targettoken' : 'gatewaytoken'
  return {
    ddi: `${origin}/${encodeURIComponent(tenantNo)}/controller/v1/<序列号>`,
    check: `POST ${origin}/device/v1/check`,
    report: `POST ${origin}/device/v1/report`,
    swupdate: [
      'globals : { public-key-file = "/etc/swupdate/vendor.cert.pem"; };',
      'identify : (',
      '  { name = "verCode"; value = "<当前版本号>"; }',
      ');',
      'suricatta : {',
      `  tenant = "${tenantNo}";`,
      '  id = "<序列号>";',
      `  url = "${origin}";`,
      `  ${token} = "<令牌>";`,
      `  polldelay = ${pollSeconds};`,
      '  retry = 10; retrywait = 30;',
      '};',
      '',
    ].join('\n'),
  }
}
