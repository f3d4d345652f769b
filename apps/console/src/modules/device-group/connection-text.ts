interface Access {
  readonly tenantNo: string
  readonly targetToken: number
  readonly gatewayToken: number
  readonly pollSeconds: number
}

/** The addresses devices call, and what SWUpdate's configuration says to call them. */
export function connectionOf(origin: string, { tenantNo, targetToken, gatewayToken, pollSeconds }: Access) {
  const token = targetToken === 1 || gatewayToken !== 1 ? 'targettoken' : 'gatewaytoken'
  return {
    ddi: `${origin}/${encodeURIComponent(tenantNo)}/controller/v1/<序列号>`,
    check: `POST ${origin}/device/v1/check`,
    report: `POST ${origin}/device/v1/report`,
    swupdate: [
      'suricatta:',
      '{',
      `  tenant = "${tenantNo}";`,
      '  id = "<序列号>";',
      `  url = "${origin}";`,
      `  ${token} = "<令牌>";`,
      `  polldelay = ${pollSeconds};`,
      '  retry = 4;',
      '  retrywait = 200;',
      '};',
      '',
    ].join('\n'),
  }
}
