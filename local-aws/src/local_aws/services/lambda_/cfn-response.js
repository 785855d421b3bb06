// The module that CloudFormation puts beside source code in Node.js that stands in a template.
//
// Its interface is that of the AWS CloudFormation user guide, "cfn-response module" (read
// 2026-11-23).

const https = require("https");

exports.SUCCESS = "SUCCESS";
exports.FAILED = "FAILED";

exports.send = (event, context, status, data, physicalResourceId, noEcho) => {
  const body = JSON.stringify({
    Status: status,
    Reason: `See the details in CloudWatch Log Stream: ${context.logStreamName}`,
    PhysicalResourceId: physicalResourceId || context.logStreamName,
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
    NoEcho: noEcho || false,
    Data: data,
  });
  const { hostname, pathname, search } = new URL(event.ResponseURL);
  const headers = { "content-type": "", "content-length": Buffer.byteLength(body) };
  const options = { hostname, port: 443, path: pathname + search, method: "PUT", headers };
  return new Promise((resolve) => {
    const ended = () => {
      context.done?.();
      resolve();
    };
    const request = https.request(options, (response) => {
      console.log(`Status code: ${response.statusCode}`);
      response.resume();
      ended();
    });
    request.on("error", (error) => {
      console.log(`send(..) failed executing https.request(..): ${error}`);
      ended();
    });
    request.end(body);
  });
};
